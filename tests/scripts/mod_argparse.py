# argparse: values, help and errors.
import argparse
import sys


def parser():
    p = argparse.ArgumentParser(prog="prog", description="What it does.", epilog="The end.")
    p.add_argument("input", help="what is read")
    p.add_argument("output", nargs="?", default="out.txt", help="what is written")
    p.add_argument("-v", "--verbose", action="store_true", help="say more")
    p.add_argument("-n", "--number", type=int, default=3, metavar="N", help="how many (default: %(default)s)")
    p.add_argument("--kind", choices=["a", "b"], default="a", help="which kind")
    p.add_argument("--no-color", dest="color", action="store_false")
    p.add_argument("-D", action="append", help="define")
    p.add_argument("-c", action="count", default=0)
    p.add_argument("--rate", type=float)
    return p


for args in (["x"], ["x", "y"], ["-v", "x"], ["x", "--number", "5"], ["x", "--number=7"], ["x", "-n8"], ["x", "-n", "9"],
             ["--kind", "b", "x"], ["--kind=b", "--no-color", "x"], ["x", "-D", "a", "-Db", "-ccc"], ["x", "--rate", "-1.5"],
             ["--num", "4", "x"], ["--", "-x"], ["x", "-vc"]):
    print(sorted(vars(parser().parse_args(args)).items()))

parser().print_help()
parser().print_usage()


def fails(args):
    keep = sys.stderr
    sys.stderr = sys.stdout
    try:
        parser().parse_args(args)
    except SystemExit as stop:
        print("status", stop.code)
    finally:
        sys.stderr = keep


fails([])
fails(["x", "y", "z"])
fails(["x", "--number", "many"])
fails(["x", "--kind", "c"])
fails(["x", "--unknown"])
fails(["x", "--number"])
fails(["x", "--verbose=1"])
fails(["-h"])

p = argparse.ArgumentParser()
p.add_argument("files", nargs="*")
p.add_argument("--pair", nargs=2, type=int)
p.add_argument("--some", nargs="+")
print(p.parse_args(["a", "b", "--pair", "1", "2"]), p.parse_args([]), p.parse_args(["--some", "x", "y"]))
print(p.parse_known_args(["a", "--other", "1"]))
p = argparse.ArgumentParser()
p.add_argument("mode", nargs="?", choices=["fast", "slow"], default="fast")
print(p.parse_args([]).mode, p.parse_args(["slow"]).mode)
