"""What an installed wheel brings: the command tz, licences, the list of what is linked."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

import terrazzo

try:
    wheel = importlib.metadata.distribution("terrazzo")
except importlib.metadata.PackageNotFoundError:
    pytest.skip("the package was not installed from a wheel", allow_module_level=True)


def read(pattern):
    found = [file for file in wheel.files if re.search(pattern, str(file))]
    assert found, f"the wheel has no {pattern}"
    return [file.read_text() for file in found]


def tz(*arguments, **environment):
    program = shutil.which("tz", path=sysconfig.get_path("scripts"))
    assert program, "pip made no command tz"
    return subprocess.run([program, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def test_tz_comes_with_the_package_and_finds_its_libraries(tmp_path):
    assert terrazzo.__version__ in tz("--version").stdout
    listed = tz("targets", "-v")
    assert listed.returncode == 0, listed.stderr
    folder = os.path.dirname(terrazzo.__file__)
    assert re.search(rf"usable *cpu +{re.escape(folder)}/(bin/\.\./)?lib/terrazzo/plugins\.d/cpu\.json", listed.stdout), listed.stdout
    kernel = tmp_path / "k.py"
    kernel.write_text("import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n"
                      "    tl.store(x + tl.arange(0, 8), 1.0)\n")
    done = tz("run", f"{kernel}::k", "--target", "cpu", "--compare", "interp", "--arg", "x=zeros:f32[8]", "--grid", "1")
    assert done.returncode == 0 and "ok" in done.stdout, done.stdout + done.stderr
    assert tz("no-such-command").returncode == 2


def test_versions_agree():
    done = subprocess.run([sys.executable, "-m", "terrazzo", "--version"], capture_output=True, text=True)
    assert done.stdout == f"terrazzo {terrazzo.__version__}\n" and done.returncode == 0
    assert wheel.version == terrazzo.__version__


def test_the_tag_says_which_systems_it_runs_on():
    tags = re.findall(r"^Tag: (.*)$", wheel.read_text("WHEEL"), re.M)
    if any(tag.endswith("linux_x86_64") and "manylinux" not in tag for tag in tags):
        pytest.skip("made by pip from source, for this machine alone (ci/wheel sets the tag)")
    assert tags and all(tag.endswith("-manylinux_2_34_x86_64") for tag in tags)


def test_what_is_linked_is_listed_with_its_licence():
    document, = map(json.loads, read(r"\.dist-info/sboms/.*\.spdx\.json$"))
    assert document["spdxVersion"] == "SPDX-2.3" and document["SPDXID"] == "SPDXRef-DOCUMENT"
    packages = {package["name"]: package for package in document["packages"]}
    for name in ("LLVM", "nlohmann-json", "CLI11", "zstd", "nanobind", "robin-map"):
        assert re.fullmatch(r"\d+(\.\d+)+", packages[name]["versionInfo"]), name
    relations = {(r["relationshipType"], r["relatedSpdxElement"]) for r in document["relationships"]}
    assert ("STATIC_LINK", "SPDXRef-LLVM") in relations and ("DYNAMIC_LINK", "SPDXRef-glibc") in relations
    texts = "\n".join(read(r"\.dist-info/licenses/"))
    for words in ("LLVM Exceptions to the Apache 2.0 License", "Niels Lohmann", "University of Cincinnati", "Zstandard",
                  "Wenzel Jakob", "Goetghebuer-Planchon", "GCC RUNTIME LIBRARY EXCEPTION"):
        assert words in texts, words
    expression = wheel.metadata["License-Expression"]
    for package in packages.values():
        if ("STATIC_LINK", package["SPDXID"]) in relations:
            assert package["licenseDeclared"].replace(" WITH ", " ") in expression.replace(" WITH ", " "), package["name"]
    assert "/work" not in json.dumps(document) and os.path.expanduser("~") not in json.dumps(document)
