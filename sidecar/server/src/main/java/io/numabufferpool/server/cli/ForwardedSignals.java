package io.numabufferpool.server.cli;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Signals that this process gets on behalf of the program it started: databases take TERM, INT and HUP for different wishes, so
 * each is handed on as it is. The JVM keeps QUIT (its thread dump) and USR1 for itself.
 */
final class ForwardedSignals {
    /** An interactive shell's Ctrl-C goes to the whole foreground group: the program has it already. */
    private static final String KEYBOARD = "INT";

    private static final List<String> NAMES = List.of("TERM", KEYBOARD, "HUP", "USR2", "WINCH");

    private final boolean interactive;
    private final CompletableFuture<Process> program = new CompletableFuture<>();

    private ForwardedSignals(boolean interactive) {
        this.interactive = interactive;
    }

    /** From now on, until this process ends; a signal that comes before the program is there waits for it. */
    static ForwardedSignals begin(boolean interactive) {
        var signals = new ForwardedSignals(interactive);
        NAMES.forEach(signals::forward);
        return signals;
    }

    /** Who gets them. */
    void to(Process started) {
        program.complete(started);
    }

    private void forward(String name) {
        handle(name, (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                if (!interactive || !name.equals(KEYBOARD)) {
                    var _ = program.thenAccept(started -> send(name, started));
                }
                yield null;
            }
            case "hashCode" -> name.hashCode();
            case "equals" -> System.identityHashCode(proxy) == System.identityHashCode(arguments[0]);
            default -> "forwards " + name;
        });
    }

    /** By reflection: the compiler refuses sun.misc by name, although jdk.unsupported exports it for just this. */
    private static void handle(String name, InvocationHandler handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            var proxy = Proxy.newProxyInstance(handlerType.getClassLoader(), new Class<?>[] {handlerType}, handler);
            signal.getMethod("handle", signal, handlerType)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException unsupported) {
            System.err.println("numapool run: signal " + name + " is not handed on to the program: " + unsupported);
        }
    }

    /** The shell's own kill: it is there wherever there is a shell. */
    private static void send(String name, Process program) {
        try {
            new ProcessBuilder("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(program.pid()))
                    .inheritIO()
                    .start();
        } catch (IOException noShell) {
            System.err.println("numapool run: signal " + name + " could not be handed on to the program: " + noShell);
        }
    }
}
