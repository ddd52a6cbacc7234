"""Make the project's virtual environment and install ulna into it.

`make` calls this with whatever python3 the machine has, which may be too old for the syntax
of the package: this file keeps to what Python 3.5 can parse, so that an unsuitable
interpreter gets one sentence instead of a traceback.
"""

import os
import shutil
import subprocess
import sys

OLDEST, NEWEST = (3, 11), (3, 14)


def suitable(python):
    """Return whether `python` starts and is a version that ulna runs on."""
    probe = "import sys; print(*sys.version_info[:2])"
    try:
        answer = subprocess.check_output([python, "-c", probe], stderr=subprocess.DEVNULL)
        version = tuple(int(part) for part in answer.split())
    except (OSError, ValueError, subprocess.CalledProcessError):
        return False
    return OLDEST <= version <= NEWEST


def find_python(asked):
    """Take the interpreter asked for, else any suitable one on the path."""
    names = [asked] + ["python3.%d" % minor for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    for name in names:
        path = shutil.which(name)
        if path and suitable(path):
            return path
    sys.exit(
        "ulna needs Python 3.%d to 3.%d, and %s is %s; install one and run make again, "
        "or name it: make clean run PYTHON=/path/to/python3.12"
        % (OLDEST[1], NEWEST[1], asked, sys.version.split()[0])
    )


def main():
    environment, wanted, asked = sys.argv[1:4]
    scripts = "Scripts" if os.name == "nt" else "bin"
    inside = os.path.join(environment, scripts, "python")
    if not suitable(inside):
        python = find_python(asked)
        print("making %s ..." % environment, flush=True)
        made = subprocess.call([python, "-m", "venv", "--clear", environment])
        if made:
            sys.exit(
                "Python could not make a virtual environment; "
                "on Debian and Ubuntu try: apt install python3-venv"
            )
    print("installing %s (the first time takes a minute or two) ..." % wanted, flush=True)
    pip = [inside, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    # make builds the viewer afterwards, so that an installation never depends on Node.
    environment = dict(os.environ, ULNA_VIEWER="skip")
    if subprocess.call([*pip, "install", "-e", wanted], env=environment):
        sys.exit("pip could not install %s; its own message is above" % wanted)


if __name__ == "__main__":
    main()
