using System.IO;
using Alias = A.B;
using static System.Math;

namespace Space;

[ApiController]
[Route("api/users")]
public class App : Base
{
    [HttpGet("{id}")]
    public User Get(int id) { if (a) { foreach (var x in y) { } } else if (b) { } return null; }
    [HttpPost]
    public void Post() { }
    private void Hidden(string a)
    {
        app.MapGet("/minimal", () => "hi");
        Process.Start("secret");
        new BinaryFormatter();
        var q = $"SELECT * FROM t WHERE a = {a}";
        var r = "SELECT * FROM t WHERE a = " + a;
        var s = $"Select {a}";
        MD5.Create();
        handler.ServerCertificateCustomValidationCallback = (a, b, c, d) => true;
        map.Get("/x");
        unsafe { }
    }
}

internal class Unseen { public void Method() { } }
public interface IShape { int Area(); }
