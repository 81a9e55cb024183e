"""changed_repository.py SOURCE FOLDER: a repository of two commits with ci/tidy, and the commands of its build."""
import json
import os
import shutil
import subprocess
import sys

source, folder = sys.argv[1:]


def git(*arguments):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, env=environment)


def write(**files):
    for name, text in files.items():
        with open(os.path.join(folder, "core", name.replace("_", ".")), "w") as file:
            file.write(text)
    git("add", "-A")
    git("commit", "-q", "-m", "core: a change")


for part in ("ci", "core", "build/ci"):
    os.makedirs(os.path.join(folder, part))
shutil.copy(os.path.join(source, "ci", "tidy"), os.path.join(folder, "ci"))
shutil.copy(os.path.join(source, ".clang-tidy"), folder)
with open(os.path.join(folder, ".gitignore"), "w") as file:
    file.write("build\nout\n")
with open(os.path.join(folder, "build", "ci", "compile_commands.json"), "w") as file:
    json.dump([{"directory": folder, "file": f"{folder}/core/{name}.cpp", "command": f"clang++-22 -std=c++20 -I{folder} -c core/{name}.cpp"}
               for name in ("Old", "Same")], file)
git("init", "-q", "-b", "main")
old = "constexpr int kOld = 1;\n"
write(Old_cpp=old, Same_cpp='#include "core/Limits.h"\n' + old, Limits_h="")
write(Old_cpp=old + "constexpr int most = 2;\nint use() { return kOld + most; }\n", Limits_h="constexpr int kLimit = 3;\n",
      Unbuilt_cpp="constexpr int none = 4;\n", Unused_h="constexpr int few = 5;\n")
