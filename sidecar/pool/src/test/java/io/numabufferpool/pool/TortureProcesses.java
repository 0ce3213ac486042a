package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The client processes of a torture test: each works until its standard input ends, or is killed. */
final class TortureProcesses {
    private final Class<?> program;
    private final long seed;
    private int nextClient = 1;

    TortureProcesses(Class<?> program, long seed) {
        this.program = program;
        this.seed = seed;
    }

    /** {@code number}: its client number. */
    record Client(Process process, int number) {}

    /** Starts one and waits until it works. */
    Client start(Path folder, long clientSeed, int blocks) throws IOException {
        int number = nextClient++;
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName(),
                        folder.toString(),
                        Integer.toString(number),
                        Long.toString(clientSeed),
                        Integer.toString(blocks))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(output.readLine()).as("client %d, seed %d", number, seed).isEqualTo("working");
        return new Client(process, number);
    }

    /** SIGKILL. */
    void kill(Client client) throws InterruptedException {
        assertThat(client.process().isAlive()).as("seed %d", seed).isTrue();
        client.process().destroyForcibly();
        assertThat(client.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    /** Lets it end, and expects that it found nothing wrong. */
    void finish(Client client) throws IOException, InterruptedException {
        client.process().getOutputStream().close();
        assertThat(client.process().waitFor(120, TimeUnit.SECONDS))
                .as("seed %d", seed)
                .isTrue();
        assertThat(client.process().exitValue()).as("seed %d", seed).isZero();
    }
}
