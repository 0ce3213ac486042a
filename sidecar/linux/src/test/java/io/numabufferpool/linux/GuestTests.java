package io.numabufferpool.linux;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A program that runs test classes and prints a {@link GuestResult} for each test: what {@link NumaLane} starts in the guest. */
final class GuestTests implements TestExecutionListener {
    private static final int MESSAGE_CHARACTERS_MAX = 6000;

    private final PrintStream out;
    private final TestPlan plan;
    private int reported;

    private GuestTests(PrintStream out, TestPlan plan) {
        this.out = out;
        this.plan = plan;
    }

    /** Runs the test classes of these names. */
    public static void main(String[] classNames) {
        var launcher = LauncherFactory.create();
        var plan = launcher.discover(request(Arrays.asList(classNames)));
        var guest = new GuestTests(System.out, plan);
        launcher.execute(plan, guest);
        guest.print(new GuestResult(GuestResult.Status.COMPLETE, Integer.toString(guest.reported), ""));
    }

    static LauncherDiscoveryRequest request(List<String> classNames) {
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(
                        classNames.stream().map(DiscoverySelectors::selectClass).toList())
                .build();
    }

    /** The class without its package, and the test. */
    static String name(TestIdentifier test, TestPlan plan) {
        var container = plan.getParent(test).map(TestIdentifier::getLegacyReportingName);
        var className = container.orElse("").replaceAll(".*\\.", "");
        return className + "." + test.getLegacyReportingName().replaceAll("\\(\\)$", "");
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (passed && !test.isTest()) {
            return; // a container counts only when it fails: its tests have not run then
        }
        var message = result.getThrowable().map(GuestTests::stackTrace).orElse("");
        var status = switch (result.getStatus()) {
            case SUCCESSFUL -> GuestResult.Status.PASSED;
            case ABORTED -> GuestResult.Status.SKIPPED;
            case FAILED -> GuestResult.Status.FAILED;
        };
        report(new GuestResult(status, name(test, plan), message));
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        report(new GuestResult(GuestResult.Status.SKIPPED, name(test, plan), reason));
    }

    private void report(GuestResult result) {
        reported++;
        print(result);
    }

    private void print(GuestResult result) {
        out.println();
        out.println(result.toLine());
        out.flush();
    }

    private static String stackTrace(Throwable failure) {
        var text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        var trace = text.toString();
        return trace.substring(0, Math.min(trace.length(), MESSAGE_CHARACTERS_MAX));
    }
}
