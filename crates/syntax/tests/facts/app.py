"""Comments and strings that mention eval(x) are no risk."""
from __future__ import annotations
import os, sys as system
import os.path
from . import sibling, other as o
from ..pkg.mod import a, b
from flask import Flask

LIMIT = 10
_PRIVATE = 1
lower = 2
EVAL_DOC = "eval(x)"


def shown(x):
    def inner():
        pass
    if x:
        for y in x:
            while y:
                pass
    elif y:
        pass
    return [z for z in x if z]


def _hidden():
    pass


class Thing:
    ATTRIBUTE = 1

    def method(self):
        return self.cache.get("/not/a/route")


@app.route("/flask", methods=["GET", "POST"])
def flask_view():
    pass


@router.get("/fast/{id}")
async def fast_view():
    pass


@lru_cache.get("key")
def not_a_view():
    pass


urlpatterns = [
    path("users/<int:id>/", views.user),
    re_path(r"^old/$", views.old),
    url(r"^older/$", views.older),
    url("https://example.com", 1),
    os.path.join("a", "b"),
]

session.get("/client/call")
requests.get("https://x", verify=False)
requests.get("https://x", verify=True)

sub.add_parser("serve")


@cli.command()
def build_all():
    pass


@app.command("ship")
def ship_it():
    pass


@cli.group(name="db")
def database():
    pass


def risky(x, cursor):
    eval(x)
    model.eval()
    exec("secret")
    re.exec(x)
    os.system("secret")
    subprocess.run(["secret"], check=True)
    pickle.loads(x)
    yaml.load(x)
    yaml.load(x, Loader=yaml.SafeLoader)
    yaml.safe_load(x)
    cursor.execute("SELECT * FROM t WHERE a = %s" % x)
    cursor.execute("SELECT * FROM t WHERE a = %s", (x,))
    cursor.execute(f"SELECT * FROM t WHERE a = {x}")
    cursor.execute(f"SELECT * FROM t")
    cursor.execute("SELECT * FROM t " + "WHERE a = " + x + y)
    cursor.execute("DELETE FROM t WHERE a = {}".format(x))
    cursor.execute("INSERT INTO t " "VALUES (%s)" % x)
    print("Select a file: " + x)
    hashlib.md5(x)
    hashlib.new("sha1", x)
    hashlib.sha256(x)
    mark_safe(x)
    AES.new(k, AES.MODE_ECB)
    context.verify_mode = ssl.CERT_NONE
