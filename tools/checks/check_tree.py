"""Checks of the tree itself: include direction, public headers, lists, docs.

Prints "ok NAME" or "FAILED NAME: why" for each check, every reason on a line of
its own, and ends with status 1 if one failed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The only direction in which includes may go: a layer includes itself and what
# stands before it. Examples, tests and tools are above everything.
LAYERS = ["base", "qsbr", "allocator", "object", "gc", "api", "runtime"]
SOURCE = (".h", ".cc", ".c")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<](tidepool/([a-z_]+)[^">]*)[">]', re.M)


def sources(*tops):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def tracked():
    """The tree's files: those that git knows, or all where it cannot be asked."""
    try:
        done = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        paths = done.stdout.split("\n") if done.returncode == 0 else []
    except OSError:  # no git here
        paths = []
    paths = [p for p in paths if p] or untracked()
    return [p for p in paths if os.path.isfile(os.path.join(ROOT, p))]


def untracked():
    """All files, but for what builds and editors leave behind."""
    paths = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith("bazel-")
                      and f not in (".git", ".cache", "__pycache__")]
        paths += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names
                  if n != "compile_commands.json" and not n.startswith("bazel-")]
    return paths


def check_include_direction():
    """No layer includes one above it."""
    for index, layer in enumerate(LAYERS):
        allowed = set(LAYERS[:index + 1])
        for path in sources(layer):
            if path.endswith(SOURCE):
                for include, target in INCLUDE.findall(read(path)):
                    if target in LAYERS and target not in allowed:
                        yield "%s includes %s" % (path, include)


def check_include_form():
    """Headers of ours are included as tidepool/<layer>/<name>.h, and exist."""
    for path in sources(*LAYERS, "examples", "tests"):
        if not path.endswith(SOURCE):
            continue
        text = read(path)
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            if name.startswith(("tidepool/", "absl/", "gtest/", "gmock/", "benchmark/")):
                continue
            if os.path.exists(os.path.join(ROOT, name)):
                yield "%s includes %s without tidepool/" % (path, name)
        for name, _ in INCLUDE.findall(text):
            short = name[len("tidepool/"):]
            if not any(os.path.exists(os.path.join(ROOT, top, short))
                       for top in ("", "api")) and not name.endswith(".inc"):
                yield "%s includes %s, which is not there" % (path, name)


def check_runtime_uses_public_headers():
    """The runtime and the examples are embedders: no header of a layer's internals."""
    for path in sources("runtime", "examples"):
        if path.endswith(SOURCE):
            for include, layer in INCLUDE.findall(read(path)):
                if "/internal/" in include and layer != "runtime":
                    yield "%s includes %s" % (path, include)


def check_c_headers_compile():
    """The C API's headers are taken by C and C++ compilers, old and new, strictly."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "tidepool"))
        for path in sources("api"):
            name = os.path.basename(path)
            if name.startswith("tidepool") and name.endswith(".h") and name != "tidepool_cc.h":
                os.symlink(os.path.join(ROOT, path), os.path.join(folder, "tidepool", name))
        text = '#include "tidepool/tidepool.h"\n#include "tidepool/tidepool_inline.h"\n'
        strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I" + folder]
        for command in (["gcc", "-std=c11", "-Wstrict-prototypes", "-x", "c"],
                        ["gcc", "-std=c99", "-x", "c"], ["g++", "-std=c++11", "-x", "c++"],
                        ["clang", "-std=c11", "-Wstrict-prototypes", "-x", "c"],
                        ["clang++", "-std=c++20", "-x", "c++"]):
            if shutil.which(command[0]) is None:
                continue
            done = subprocess.run(command + strict + ["-"], input=text, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                yield "%s: %s" % (" ".join(command), done.stdout.strip().split("\n")[0])


def check_mutants():
    """Every mutant of the list stands in the code, and the other way round."""
    runner = os.path.join(ROOT, "tools", "internal", "mutants")
    done = subprocess.run([runner, "--check"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        yield from done.stdout.strip().split("\n")


def check_docs_name_what_exists():
    """A path, label or option that a page names in backquotes exists."""
    options = set(re.findall(r"\bX\(\w+,\s*(\w+)", read("allocator/options.h")))
    pages = ["README.md"] + [p for p in sources("docs") if p.endswith(".md")]
    tops = set(os.listdir(ROOT))
    for page in pages:
        for word in re.findall(r"`([^`\s]+)`", read(page)):
            if word.startswith("TIDEPOOL_"):
                name = word[len("TIDEPOOL_"):].split("=")[0].lower()
                known = options | {"test_seconds", "implementation_name", "mutant",
                                   "debug", "sched", "option", "<name>", "<option>"}
                if name not in known and not re.search(r"\b%s\b" % word.split("=")[0], ALL_CODE()):
                    yield "%s names the option %s, which does not exist" % (page, word)
                continue
            path = word.split(":")[0].rstrip("/.,")
            top = path.split("/")[0]
            if "/" not in path or top not in tops or re.search(r"[*<>{}$=]", path):
                continue
            if not os.path.exists(os.path.join(ROOT, path)):
                yield "%s names %s, which does not exist" % (page, word)


_code = []


def ALL_CODE():
    if not _code:
        _code.append("\n".join(read(p) for p in sources(*LAYERS, "tests", "tools")
                               if p.endswith(SOURCE + (".py", ".sh", ".bzl"))))
    return _code[0]


def check_case_table():
    """docs/cases.md holds every case once, with a test that exists or a reason."""
    text = read("docs/cases.md")
    rows = {}
    for line in text.split("\n"):
        match = re.match(r"\| ([MSCKRA]\d\d) \|([^|]*)\|(.*)\|$", line)
        if match:
            ident = match.group(1)
            if ident in rows:
                yield "docs/cases.md: %s stands twice" % ident
            rows[ident] = (match.group(2).strip(), match.group(3))
    if len(rows) != 99:
        yield "docs/cases.md has %d cases and not 99" % len(rows)
    for ident, (state, held_by) in sorted(rows.items()):
        names = re.findall(r"`([^`]+)`", held_by)
        if state not in ("held", "partly", "open"):
            yield "docs/cases.md: %s: the state is %r" % (ident, state)
        if state != "open" and not names:
            yield "docs/cases.md: %s is %s by nothing" % (ident, state)
        for name in names:
            path = name.split(":")[0].lstrip("/").split(" ")[0]
            if not os.path.exists(os.path.join(ROOT, path)):
                yield "docs/cases.md: %s names %s, which does not exist" % (ident, name)
            elif ":" in name and name.split(":")[1] not in read(path):
                yield "docs/cases.md: %s: %s does not stand in %s" % (
                    ident, name.split(":")[1], path)


def check_scripts_say_what_they_show():
    """Every example script opens with a comment or docstring."""
    for path in sources("examples"):
        if path.endswith(".py"):
            first = read(path).lstrip().split("\n")[0]
            if not first.startswith(("#", '"""')):
                yield "%s does not open with a comment" % path


def check_gallery_shows_every_example():
    """docs/gallery.md has each script of examples/ with its picture."""
    page = read("docs/gallery.md")
    for path in tracked():
        if re.fullmatch(r"examples/[a-z_]+\.py", path):
            name = os.path.basename(path)[:-3]
            for wanted in ("## %s\n" % name, "(gallery/%s.svg)" % name):
                if wanted not in page:
                    yield "docs/gallery.md: %r is missing (tools/gallery makes it)" % wanted


def check_files_open_with_what_they_are():
    """A C++ file opens with a comment that says what it is."""
    for path in sources(*LAYERS):
        if path.endswith(SOURCE):
            if not read(path).lstrip().startswith(("//", "/*")):
                yield "%s does not open with a comment" % path


def check_no_machine_paths():
    """Nothing in the tree names a folder of the machine it was written on."""
    words = [os.path.dirname(ROOT) + "/"] if ROOT.count("/") > 1 else []
    words = [w for w in words if w != "/tmp/"]  # where programs write, too
    words += ["/" + "work/", "/" + "root/"]
    for path in tracked():
        if path.startswith("third_party/") or path == "tools/internal/setup.sh":
            continue
        text = read(path)
        for word in words:
            if word in text and len(word) > 4:
                yield "%s names %s" % (path, word)
                break


def check_shell_syntax():
    """The shell scripts parse."""
    for path in tracked():
        if read(path).startswith(("#!/usr/bin/env bash", "#!/bin/bash")) or path.endswith(".sh"):
            done = subprocess.run(["bash", "-n", os.path.join(ROOT, path)],
                                  stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                yield "%s: %s" % (path, done.stderr.strip())


def main():
    bad = 0
    for name, check in sorted(globals().items()):
        if not name.startswith("check_"):
            continue
        try:
            reasons = list(check())
        except OSError as error:
            reasons = [str(error)]
        if reasons:
            bad = 1
            print("FAILED %s: %s" % (name[6:], reasons[0]))
            for reason in reasons[1:20]:
                print("       %s" % reason)
        else:
            print("ok %s" % name[6:])
    return bad


if __name__ == "__main__":
    sys.exit(main())
