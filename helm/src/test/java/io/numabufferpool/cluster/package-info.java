/**
 * Pods that really run: the chart on the cluster that {@code KUBECONFIG} names, images loaded by the command in
 * {@code NUMAPOOL_LOAD_IMAGE}. No bed is known by name; the Kubernetes node with several NUMA nodes is named by
 * {@code NUMAPOOL_NUMA_KUBE_NODE}.
 */
package io.numabufferpool.cluster;
