package io.numabufferpool.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numabufferpool.crds.NumaBufferPool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Writes events, seldom: the same reason about the same pod once in {@link #QUIET}, and at most {@link #PER_MINUTE_MAX} in
 * all. An event that cannot be written is a line in the log and nothing else. Thread-safe.
 */
public final class EventRecorder {
    /** An event is kept for an hour by default; a condition says the same all the time. */
    public static final Duration QUIET = Duration.ofMinutes(10);

    /** A rollout of a thousand pods must not fill etcd with a thousand good news a second. */
    public static final int PER_MINUTE_MAX = 60;

    /** The reasons about this many pods are remembered. */
    private static final int REMEMBERED_MAX = 10_000;

    /** The API refuses a longer note. */
    private static final int NOTE_CHARS_MAX = 1024;

    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final Logger LOG = Logger.getLogger(EventRecorder.class);

    private final Consumer<Event> store;
    private final Executor executor;
    private final String instance;
    private final Clock clock;
    private final Map<String, Instant> told = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private Instant minuteBegan = Instant.MIN;
    private int inThisMinute;

    /** The types of events; the constants' text is the API's. */
    public enum Type {
        /** Good news. */
        NORMAL("Normal"),
        /** Something that a person should look at. */
        WARNING("Warning");

        private final String text;

        Type(String text) {
            this.text = text;
        }
    }

    /** Ready to use; {@code store} writes one event, on {@code executor}; {@code instance} is this replica's name. */
    public EventRecorder(Consumer<Event> store, Executor executor, String instance, Clock clock) {
        this.store = store;
        this.executor = executor;
        this.instance = instance;
        this.clock = clock;
    }

    /** An event on the pool about one of its pods; a warning also on the pod, where its owner looks. */
    public void record(NumaBufferPool pool, Pod pod, Type type, String reason, String message) {
        var about = pod.getMetadata().getUid() + " " + reason;
        if (!mayTell(about)) {
            return;
        }
        write(event(pool, pod, type, reason, "Pod " + pod.getMetadata().getName() + ": " + message));
        if (type == Type.WARNING) {
            write(event(pod, pool, type, reason, message));
        }
    }

    private synchronized boolean mayTell(String about) {
        var now = clock.instant();
        var last = told.get(about);
        if (last != null && now.isBefore(last.plus(QUIET))) {
            return false;
        }
        if (!now.isBefore(minuteBegan.plus(Duration.ofMinutes(1))) || minuteBegan.equals(Instant.MIN)) {
            minuteBegan = now;
            inThisMinute = 0;
        }
        if (inThisMinute >= PER_MINUTE_MAX) {
            return false;
        }
        inThisMinute++;
        told.put(about, now);
        return true;
    }

    private void write(Event event) {
        try {
            executor.execute(() -> {
                try {
                    store.accept(event);
                } catch (KubernetesClientException e) {
                    LOG.warnv("event not written: reason={0} problem={1}", event.getReason(), e.getMessage());
                }
            });
        } catch (RejectedExecutionException full) {
            LOG.warnv("event not written, too many wait: reason={0}", event.getReason());
        }
    }

    private Event event(HasMetadata regarding, HasMetadata related, Type type, String reason, String note) {
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(regarding.getMetadata().getNamespace())
                .withGenerateName(regarding.getMetadata().getName() + "-")
                .endMetadata()
                .withEventTime(new MicroTime(MICROS.format(clock.instant())))
                .withReportingController("numabufferpool.io/operator")
                .withReportingInstance(instance)
                .withAction("Place")
                .withType(type.text)
                .withReason(reason)
                .withNote(note.length() <= NOTE_CHARS_MAX ? note : note.substring(0, NOTE_CHARS_MAX - 3) + "...")
                .withRegarding(reference(regarding))
                .withRelated(reference(related))
                .build();
    }

    private static ObjectReference reference(HasMetadata object) {
        return new ObjectReferenceBuilder()
                .withApiVersion(object.getApiVersion())
                .withKind(object.getKind())
                .withNamespace(object.getMetadata().getNamespace())
                .withName(object.getMetadata().getName())
                .withUid(object.getMetadata().getUid())
                .build();
    }
}
