package a.b;

import java.util.List;
import static java.lang.Math.*;

@RestController
@RequestMapping("/api")
public class App {
    @GetMapping("/users/{id}")
    public User user() { return null; }

    @RequestMapping(value = "/old", method = RequestMethod.POST)
    public void old() {}

    @PostMapping({"/a", "/b"})
    void packagePrivate() {}

    private void hidden() {
        if (a) { for (int i : x) { try { } catch (Exception e) { } } } else if (b) { }
        switch (x) { case 1: break; default: }
        Runtime.getRuntime().exec("secret");
        new ProcessBuilder("secret");
        executor.exec("x");
        new ObjectInputStream(in).readObject();
        MessageDigest.getInstance("MD5");
        MessageDigest.getInstance("SHA-256");
        String q = "SELECT * FROM t WHERE a = " + x;
        String r = String.format("DELETE FROM t WHERE a = %s", x);
        String s = "SELECT * FROM t " + "WHERE 1";
        map.get("/x");
    }

    public interface Shape { int area(); }
}

class PackagePrivate { public void unseen() {} }

@Command(name = "greet", description = "x")
class Greet {}
