"""tz lsp, asked by the client of a library of others (pygls), and by clients that speak nonsense."""

import asyncio
import json
import pathlib
import shutil
import subprocess
import sysconfig

import pytest

pytest.importorskip("pygls", reason="the client of the Language Server Protocol, pygls, is not installed")
from lsprotocol import types as lsp
from pygls.lsp.client import BaseLanguageClient

HEAD = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = HEAD + """@triton.jit
def helper(value):
    return value * 2


# tz: --sig "*fp16:16,*fp32:16,i32" --constexpr BLOCK=64
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tile = tl.load(x + i, mask=i < n)
    wide = helper(tile.to(tl.float32))
    total = tl.sum(wide, axis=0)
    tl.store(out + i, wide + total, mask=i < n)
"""
ARANGE, LOAD, HELPER, SUM, STORE = 12, 13, 14, 15, 16  # lines of KERNEL, from 0


def program():
    return shutil.which("tz", path=sysconfig.get_path("scripts")) or shutil.which("tz")


class Editor:
    """An open file at a server; `ask` gives what the server answers."""

    def __init__(self, folder, settings=None):
        self.folder, self.settings, self.published = folder, settings or {}, {}
        self.client = BaseLanguageClient("tests", "1")
        self.arrived = asyncio.Event()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params):
            self.published[params.uri] = params
            self.arrived.set()

    async def __aenter__(self):
        await self.client.start_io(program(), "lsp")
        self.answer = await self.client.initialize_async(lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(), root_uri=self.folder.as_uri(), initialization_options=self.settings))
        self.client.initialized(lsp.InitializedParams())
        return self

    async def __aexit__(self, *_):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def messages(self, uri, version):
        while uri not in self.published or self.published[uri].version != version:
            self.arrived.clear()
            await asyncio.wait_for(self.arrived.wait(), 60)
        return self.published[uri].diagnostics

    async def open(self, text, name="k.py"):
        self.uri, self.version = (self.folder / name).as_uri(), 1
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri, "python", 1, text)))
        return await self.messages(self.uri, 1)

    async def change(self, text):
        self.version += 1
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(self.version, self.uri), [lsp.TextDocumentContentChangeWholeDocument(text)]))
        return await self.messages(self.uri, self.version)

    def at(self, kind, line, character):
        return kind(text_document=lsp.TextDocumentIdentifier(self.uri), position=lsp.Position(line, character))

    async def hover(self, line, character):
        found = await self.client.text_document_hover_async(self.at(lsp.HoverParams, line, character))
        return found and found.contents.value

    async def definition(self, line, character):
        return await self.client.text_document_definition_async(self.at(lsp.DefinitionParams, line, character))


def run(session):
    asyncio.run(asyncio.wait_for(session, 120))


def errors(messages):
    return [(one.range.start.line, one.message) for one in messages if one.severity == lsp.DiagnosticSeverity.Error]


def test_mistakes_while_typing(tmp_path):
    async def session():
        async with Editor(tmp_path) as editor:
            assert editor.answer.server_info.name == "tz lsp" and editor.answer.capabilities.hover_provider
            assert errors(await editor.open(KERNEL)) == []
            # Two mistakes, both told, each at its own name.
            wrong = KERNEL.replace("total, mask=i < n", "total, mask=i < m").replace("axis=0", "axis=3")
            found = await editor.change(wrong)
            assert [line for line, _ in errors(found)] == [SUM, STORE], found
            last = [one for one in found if one.severity == lsp.DiagnosticSeverity.Error][-1]
            text = wrong.split("\n")[STORE]
            assert text[last.range.start.character:last.range.end.character] == "m" and "'m' is not defined" in last.message
            # What other functions call is no kernel, and not checked as one.
            assert not any("cannot return" in one.message for one in found), found
            assert errors(await editor.change(KERNEL)) == []
            broken = await editor.change(KERNEL.replace("tl.sum(wide", "tl.sum((wide"))
            assert len(errors(broken)) >= 1

    run(session())


def test_types_where_the_pointer_is(tmp_path):
    async def session():
        async with Editor(tmp_path) as editor:
            await editor.open(KERNEL)
            assert "tile: fp16[64]" in await editor.hover(HELPER, KERNEL.split("\n")[HELPER].index("tile"))
            assert "wide: fp32[64]" in await editor.hover(STORE, KERNEL.split("\n")[STORE].index("wide"))
            assert "total: fp32" in await editor.hover(SUM, 5)
            assert "BLOCK = 64" in await editor.hover(ARANGE, KERNEL.split("\n")[ARANGE].index("BLOCK"))
            assert "-> fp16[64]" in await editor.hover(LOAD, KERNEL.split("\n")[LOAD].index("load"))
            assert await editor.hover(0, 200) is None and await editor.hover(3, 0) is None
            hints = await editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(
                lsp.TextDocumentIdentifier(editor.uri), lsp.Range(lsp.Position(0, 0), lsp.Position(100, 0))))
            shown = {hint.position.line: hint.label for hint in hints}
            assert shown[LOAD] == ": fp16[64]" and shown[SUM] == ": fp32", shown

    run(session())


def test_definitions(tmp_path):
    (tmp_path / "other.py").write_text(HEAD + "@triton.jit\ndef imported(value):\n    return value + 1\n")
    text = KERNEL.replace("import triton\n", "import triton\nfrom other import imported\n", 1).replace("helper(tile", "imported(tile")

    async def session():
        async with Editor(tmp_path) as editor:
            await editor.open(KERNEL)
            lines = KERNEL.split("\n")
            found = await editor.definition(HELPER, lines[HELPER].index("helper"))
            assert found.range.start.line == 5 and found.uri == editor.uri
            found = await editor.definition(STORE, lines[STORE].index("wide"))
            assert (found.range.start.line, found.range.start.character) == (HELPER, 4)
            found = await editor.definition(LOAD, lines[LOAD].index("x +"))
            assert (found.range.start.line, found.range.start.character) == (11, 11)
            assert errors(await editor.change(text)) == []
            found = await editor.definition(HELPER + 1, text.split("\n")[HELPER + 1].index("imported"))
            assert found.uri == (tmp_path / "other.py").as_uri() and found.range.start.line == 5
            names = await editor.client.text_document_document_symbol_async(
                lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri)))
            assert [one.name for one in names] == ["helper", "kernel"]

    run(session())


def test_where_types_come_from(tmp_path):
    bare = KERNEL.replace('# tz: --sig "*fp16:16,*fp32:16,i32" --constexpr BLOCK=64\n', "")
    load = LOAD - 1
    command = ('"""Doc.\n\n    tz run k.py::kernel --grid 1 --arg x=randn:bf16[n] \\\n'
               '        --arg out=zeros:f32[n] --arg n=i32:100 --constexpr BLOCK=128\n"""\n')

    async def session():
        async with Editor(tmp_path) as editor:
            # Guessed: pointers by use, and mistakes are warnings.
            assert errors(await editor.open(bare)) == []
            assert "tile: fp32[64]" in await editor.hover(load + 1, bare.split("\n")[load + 1].index("tile"))
            wrong = await editor.change(bare.replace("mask=i < n)\n    wide", "mask=i < m)\n    wide"))
            assert errors(wrong) == []
            assert any(one.severity == lsp.DiagnosticSeverity.Warning and "'m' is not defined" in one.message for one in wrong)
            # A command in the text.
            assert errors(await editor.change(command + bare)) == []
            assert "tile: bf16[128]" in await editor.hover(load + 6, bare.split("\n")[load + 1].index("tile"))
            # Words that do not fit are told at the words.
            found = errors(await editor.change(KERNEL.replace('i32" --con', 'i32,i32" --con')))
            assert found == [(9, "--sig has 4 types, but kernel 'kernel' takes 3 run-time arguments")], found
        async with Editor(tmp_path, {"terrazzo": {"kernels": {"kernel": "--sig *fp64,*fp64,i32 --constexpr BLOCK=32"}}}) as editor:
            assert errors(await editor.open(bare)) == []
            assert "tile: fp64[32]" in await editor.hover(load + 1, bare.split("\n")[load + 1].index("tile"))

    run(session())


def test_remarks_are_hints(tmp_path):
    text = HEAD + ('# tz: --sig "*fp32,*i32,*fp32"\n@triton.jit\ndef gathered(x, at, out):\n    i = tl.arange(0, 64)\n'
                   "    value = tl.load(x + tl.load(at + i))\n    tl.store(out + i, value)\n")

    async def session():
        async with Editor(tmp_path) as editor:
            hints = [one for one in await editor.open(text) if one.severity == lsp.DiagnosticSeverity.Hint]
            assert any(one.code == "tile-recover-views" and one.range.start.line == 8 for one in hints), hints

    run(session())


def test_columns_count_as_editors_count(tmp_path):
    text = KERNEL.replace("tile = tl.load(x + i, mask=i < n)", 'tl.static_assert(True, "é𝄞"); tile = tl.load(x + i, mask=i < m)')

    async def session():
        async with Editor(tmp_path) as editor:
            wrong, = [one for one in await editor.open(text) if one.severity == lsp.DiagnosticSeverity.Error]
            line = text.split("\n")[LOAD].encode("utf-16-le")
            assert line[2 * wrong.range.start.character:2 * wrong.range.end.character].decode("utf-16-le") == "m", wrong

    run(session())


def frame(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def talk(*parts):
    """What the server says to these bytes, and how it ends."""
    done = subprocess.run([program(), "lsp"], input=b"".join(parts), capture_output=True, timeout=120)
    answers, rest = [], done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(head.split(b":")[1])
        answers.append(json.loads(rest[:length]))
        rest = rest[length:]
    return answers, done.returncode


INITIALIZE = frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
SHUTDOWN = frame({"jsonrpc": "2.0", "id": 9, "method": "shutdown"}) + frame({"jsonrpc": "2.0", "method": "exit"})


@pytest.mark.parametrize("bytes_, code", [
    (frame(b"{nothing"), -32700),
    (frame(b"\xff\xfe"), -32700),
    (frame(b"[" * 100000), -32700),
    (b"Content-Length: many\r\n\r\n", -32700),
    (b"no header at all\r\n\r\n", -32700),
    (frame([]), -32600),
    (frame({"jsonrpc": "2.0", "id": 2}), -32600),
    (frame({"jsonrpc": "2.0", "id": 2, "method": 7}), -32600),
    (frame({"jsonrpc": "2.0", "id": 2, "method": "no/such"}), -32601),
    (frame({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": []}), -32602),
    (frame({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover",
            "params": {"textDocument": {"uri": 3}, "position": {"line": -1}}}), -32602),
    (frame({"jsonrpc": "2.0", "id": 2, "method": "textDocument/definition", "params": {"textDocument": {"uri": "file:///no.py"}}}), -32602),
])
def test_bad_messages_are_answered_and_the_server_goes_on(bytes_, code):
    answers, status = talk(INITIALIZE, bytes_, SHUTDOWN)
    assert status == 0 and answers[0]["id"] == 1 and answers[-1] == {"id": 9, "jsonrpc": "2.0", "result": None}
    assert [one["error"]["code"] for one in answers if "error" in one] == [code], answers


@pytest.mark.parametrize("method, params", [
    ("textDocument/didOpen", {}), ("textDocument/didOpen", {"textDocument": {"uri": "file:///a.py", "text": 5}}),
    ("textDocument/didChange", {"textDocument": {"uri": "file:///a.py"}, "contentChanges": [{"range": {}, "text": "x"}]}),
    ("textDocument/didChange", {"textDocument": 3}), ("textDocument/didClose", {"textDocument": {"uri": "file:///never.py"}}),
    ("workspace/didChangeConfiguration", {"settings": {"terrazzo": {"kernels": [1], "importRoots": {}}}}),
    ("$/cancelRequest", {"id": 1}), ("no/such", {}),
])
def test_bad_notifications_say_nothing(method, params):
    answers, status = talk(INITIALIZE, frame({"jsonrpc": "2.0", "method": method, "params": params}), SHUTDOWN)
    assert status == 0 and len(answers) == 2, answers


def test_the_order_of_a_session():
    answers, status = talk(frame({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}}))
    assert answers[0]["error"]["code"] == -32002 and status == 1
    answers, status = talk(INITIALIZE)  # the editor is gone
    assert len(answers) == 1 and status == 1
    answers, status = talk(INITIALIZE, b"Content-Length: 1000\r\n\r\n{}")  # cut
    assert len(answers) == 1 and status == 1


def test_texts_that_are_no_kernels():
    documents = ["", "\0\0", "def", "@triton.jit\ndef k(", HEAD + "@triton.jit\ndef k(x):\n    while True:\n        pass\n",
                 "é" * 1000, "(" * 5000, "# tz: --sig\n" * 50]
    parts = [frame({"jsonrpc": "2.0", "method": "textDocument/didOpen",
                    "params": {"textDocument": {"uri": f"file:///t/{i}.py", "text": text, "version": 1}}})
             for i, text in enumerate(documents)]
    answers, status = talk(INITIALIZE, *parts, frame({"jsonrpc": "2.0", "id": 5, "method": "textDocument/documentSymbol",
                                                      "params": {"textDocument": {"uri": "file:///t/0.py"}}}), SHUTDOWN)
    assert status == 0 and sum("params" in one for one in answers) == len(documents), answers


EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not beside these tests")
@pytest.mark.parametrize("hidden", [False, True])
def test_the_examples_have_no_mistakes(hidden):
    """With the commands in their texts, and with guessed types: there two kernels ask for more than a guess can know."""
    parts = []
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text()
        parts.append(frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": path.as_uri(), "version": 1, "text": text.replace("tz run", "run") if hidden else text}}}))
    last = frame({"jsonrpc": "2.0", "id": 5, "method": "textDocument/documentSymbol", "params": {}})
    answers, status = talk(INITIALIZE, *parts, last, SHUTDOWN)
    published = [one["params"] for one in answers if one.get("method") == "textDocument/publishDiagnostics"]
    assert status == 0 and len(published) == len(parts) > 20
    told = {one["uri"].rsplit("/", 1)[1] for one in published if any(message["severity"] <= 2 for message in one["diagnostics"])}
    assert told <= ({"descriptor_matmul.py", "int4_matmul.py"} if hidden else set()), told
