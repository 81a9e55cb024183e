"""Checks a .vsix: the two lists, the files that they name, and package.json against the parts of VS Code's schema that it uses."""
import json
import re
import sys
import xml.etree.ElementTree as xml
import zipfile

archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
names = set(archive.namelist())
manifest = xml.fromstring(archive.read("extension.vsixmanifest"))
space = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
for asset in manifest.iter(space + "Asset"):
    assert asset.get("Path") in names, asset.get("Path")
kinds = {one.get("Extension") or one.get("PartName") for one in xml.fromstring(archive.read("[Content_Types].xml"))}
for name in names - {"[Content_Types].xml"}:
    assert "." + name.rsplit(".", 1)[-1] in kinds or "/" + name in kinds, name

package = json.loads(archive.read("extension/package.json"))
SCHEMA = {"name": r"[a-z0-9][a-z0-9-]*", "publisher": r"[a-z0-9][a-z0-9-]*", "version": r"\d+\.\d+\.\d+", "displayName": ".+", "description": ".+", "main": r"\./.+\.js"}
for key, pattern in SCHEMA.items():
    assert re.fullmatch(pattern, package[key]), key
assert re.fullmatch(r"\^\d+\.\d+\.\d+", package["engines"]["vscode"])
assert "extension/" + package["main"][2:] in names
assert set(package) <= {*SCHEMA, "license", "engines", "categories", "activationEvents", "contributes"}, set(package)
assert set(package["contributes"]) <= {"configuration", "commands"}
identity = manifest.find(f"{space}Metadata/{space}Identity")
assert (identity.get("Id"), identity.get("Version"), identity.get("Publisher")) == (package["name"], package["version"], package["publisher"])
program = archive.read("extension/extension.js").decode()
for setting, one in package["contributes"]["configuration"]["properties"].items():
    assert setting.startswith(package["name"] + ".") and one["description"] and "default" in one, setting
    assert f'"{setting.split(".")[1]}"' in program, f"nobody reads {setting}"
for one in package["contributes"]["commands"]:
    assert f'registerCommand("{one["command"]}"' in program, one
assert "require(" in program and set(re.findall(r'require\("([^"]+)"\)', program)) <= {"vscode", "child_process"}
