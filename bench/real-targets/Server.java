import com.sun.net.httpserver.HttpServer;
import java.io.FileWriter;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A small HTTP server that tells its milestones. PORT in the environment. System.nanoTime is CLOCK_MONOTONIC on Linux. */
public final class Server {
  static void tell(String name) throws IOException {
    String path = System.getenv("BOOTCUT_TIMELINE");
    if (path == null) return;
    try (FileWriter timeline = new FileWriter(path, true)) {
      timeline.write(name + "\t{\"at\":" + System.nanoTime() / 1e6 + "}\n");
    }
  }

  public static void main(String[] arguments) throws IOException {
    tell("code runs");
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 2);
      exchange.getResponseBody().write("ok".getBytes());
      exchange.close();
    });
    server.start();
    tell("listening");
  }
}
