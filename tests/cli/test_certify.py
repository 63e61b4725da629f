from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from inspect_kit.inspection.record import open_record
from tests.cli.conftest import Kit, Result

STRIKER = """characteristic,instance,value,unit,u,instrument
striker.shape,,yes,,,
striker.diameter,,41.1,mm,0.01,
striker.mass,,14.82,g,0.01,
striker.material,,yes,,,
striker.visible_metal,,yes,,,
striker.engraving,,none,,,
"""
HOSTILE = [
    "<b>Bold</b>",
    "a <b and c>d",
    "Smith & Sons",
    '<img src="/etc/passwd"/>',
    '<a href="javascript:alert(1)">x</a>',
    "<para><font color=\"[[[getattr(pow, Word('__globals__'))['os'].system('id')]]]\">x</font></para>",
    "{braces} %s %(x)s \\n ${HOME}",
    "Řeháčková Žďár ěščřžůťďň",
    "שלום עולם",
    "محمد علي",
    "Ω Москва ß ẞ Ł ø ñ",
    "(paren) \\backslash /Name << >>",
    "-- ' OR 1=1; DROP TABLE x",
]


@pytest.fixture(autouse=True)
def _keys(kit: Kit) -> None:
    assert kit("keys", "init", "--name", "Test Federation", "--no-passphrase").code == 0


@pytest.fixture
def striker(tmp_path: Path) -> Path:
    path = tmp_path / "striker.csv"
    path.write_text(STRIKER)
    return path


def _certify(kit: Kit, striker: Path, out: Path, *more: object, subject: str = "Striker 7") -> Result:
    return kit(
        "certify",
        striker,
        "--spec",
        "icf-2001-it",
        "--item",
        "striker",
        "--subject",
        subject,
        "-o",
        out,
        "--json",
        *more,
    )


def _text(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _squeezed(text: str) -> str:
    """Without white space, so that a line break inside a name does not matter."""
    return "".join(text.split())


def test_a_certificate_says_what_was_made(kit: Kit, striker: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.pdf"
    result = _certify(kit, striker, out)
    assert result.code == 0
    assert set(result.data) >= {"number", "verdict", "pdf", "digest", "qr"}
    assert (result.data["verdict"], result.data["pdf"]) == ("conforms", str(out))
    with pikepdf.open(out) as pdf:
        content = pdf.attachments["record.json"].get_file().read_bytes()
    assert hashlib.sha256(content).hexdigest() == result.data["digest"]
    assert open_record(content).subject.text == "Striker 7"


@pytest.mark.parametrize(("mass", "code"), [("15.3", 1), ("14.99", 3)])
def test_what_does_not_conform_gets_a_report_that_is_plainly_not_a_certificate(
    kit: Kit, striker: Path, tmp_path: Path, mass: str, code: int
) -> None:
    striker.write_text(STRIKER.replace("14.82", mass))
    out = tmp_path / "r.pdf"
    assert _certify(kit, striker, out).code == code
    text = _text(out)
    assert "NOT A CERTIFICATE" in text
    assert "Inspection Certificate" not in text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_comes_out_as_itself_and_does_nothing(
    kit: Kit, striker: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "c.pdf"
    result = _certify(kit, striker, out, "--owner", name, "--event", name, "--issuer", name, subject=name)
    assert result.code == 0, result.err
    with pikepdf.open(out) as pdf:
        record = open_record(pdf.attachments["record.json"].get_file().read_bytes())
        assert "/JavaScript" not in str(pdf.Root.get("/Names"))
        kinds = {str(note.Subtype) for page in pdf.pages for note in page.get("/Annots", [])}
        assert kinds <= {"/Widget"}, "nothing but the signature's own invisible field"
    assert record.subject.text == name
    if name.isascii():
        assert _squeezed(name) in _squeezed(_text(out))


@pytest.mark.parametrize(
    ("name", "says"),
    [("x" * 10_000, "10,000 characters"), ("", "is empty"), ("a\u202eb", "invisible"), ("a\x00b", "invisible"),
     ("\U0001fae8", "U+1FAE8"), ("漢字", "U+6F22")],
)  # fmt: skip
def test_a_name_that_cannot_be_printed_is_told_and_nothing_is_written(
    kit: Kit, striker: Path, tmp_path: Path, name: str, says: str
) -> None:
    out = tmp_path / "c.pdf"
    result = _certify(kit, striker, out, subject=name)
    assert (result.code, result.out) == (4, "")
    assert says in result.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["striker.csv"]


def test_a_failed_write_leaves_the_old_file_and_no_half_of_a_new_one(
    kit: Kit, striker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "c.pdf"
    out.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("inspect_kit.certificate.issue.issue.write_part", full)
    result = _certify(kit, striker, out)
    assert result.code == 4
    assert "No space left" in result.err
    assert out.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.pdf", "striker.csv"]


@pytest.mark.parametrize("place", [".", "no/such/folder/c.pdf", "striker.csv/c.pdf"])
def test_a_place_that_cannot_be_written_to_is_told(kit: Kit, striker: Path, tmp_path: Path, place: str) -> None:
    result = _certify(kit, striker, tmp_path / place)
    assert result.code == 4
    assert result.err.strip().count("\n") == 0


def test_the_same_inspection_is_the_same_record_under_another_number(kit: Kit, striker: Path, tmp_path: Path) -> None:
    first = _certify(kit, striker, tmp_path / "1.pdf", "--on", "2026-11-14").data
    second = _certify(kit, striker, tmp_path / "2.pdf", "--on", "2026-11-14").data
    assert first["digest"] == second["digest"]
    assert first["number"] != second["number"]
    assert second["replaces"] == [first["number"]]


def test_a_certificate_can_be_verified_by_its_file_and_by_its_qr_text(kit: Kit, striker: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.pdf"
    qr = _certify(kit, striker, out).data["qr"]
    assert kit("verify", out).code == 0
    assert kit("verify", qr).code == 0
    out.write_bytes(out.read_bytes().replace(b"/Producer", b"/Produced", 1))
    assert kit("verify", out).code == 5


@pytest.mark.parametrize("language", ["en", "de", "cs", "it"])
def test_every_language_prints_its_letters(kit: Kit, striker: Path, tmp_path: Path, language: str) -> None:
    out = tmp_path / "c.pdf"
    _certify(kit, striker, out, "--lang", language, "--owner", "Jiří Žižka ěščřžů")
    text = _squeezed(_text(out))
    assert "JiříŽižkaěščřžů" in text
    assert ("14,820±0,020" if language != "en" else "14.820±0.020") in text


def _with_photo(tmp_path: Path) -> tuple[Path, Path]:
    stream = io.BytesIO()
    Image.new("RGB", (640, 480), (200, 180, 150)).save(stream, "JPEG")
    photo = tmp_path / "IMG_1.jpg"
    photo.write_bytes(stream.getvalue())
    digest = hashlib.sha256(stream.getvalue()).hexdigest()
    data = {
        "format": 1,
        "photos": [{"file": "IMG_1.jpg", "sha256": digest, "width": 640, "height": 480}],
        "measurements": [{"characteristic": "striker.diameter", "value": 41.1, "unit": "mm", "u": 0.02}],
    }
    path = tmp_path / "photo.json"
    path.write_text(json.dumps(data))
    return path, photo


def test_a_photo_is_printed_as_evidence_with_its_digest(kit: Kit, tmp_path: Path) -> None:
    path, photo = _with_photo(tmp_path)
    out = tmp_path / "c.pdf"
    assert _certify(kit, path, out).code == 3
    assert hashlib.sha256(photo.read_bytes()).hexdigest() in _squeezed(_text(out))
    with pikepdf.open(out) as pdf:
        assert any(page.get_images() for page in pdf.pages)


def test_a_photo_that_was_changed_afterwards_is_refused(kit: Kit, tmp_path: Path) -> None:
    path, photo = _with_photo(tmp_path)
    photo.write_bytes(photo.read_bytes() + b"x")
    result = _certify(kit, path, tmp_path / "c.pdf")
    assert result.code == 5
    assert "SHA-256 differs" in result.err


def test_a_missing_photo_is_told_and_its_digest_still_printed(kit: Kit, tmp_path: Path) -> None:
    path, photo = _with_photo(tmp_path)
    digest = hashlib.sha256(photo.read_bytes()).hexdigest()
    photo.unlink()
    out = tmp_path / "c.pdf"
    assert "not beside its measurement file" in _certify(kit, path, out).err
    assert digest in _squeezed(_text(out))


def test_one_photo_makes_no_certificates_for_two_strikers(kit: Kit, striker: Path, tmp_path: Path) -> None:
    path, _ = _with_photo(tmp_path)
    striker.write_text("\n".join(line for line in STRIKER.splitlines() if "diameter" not in line))
    first = _certify(kit, path, tmp_path / "1.pdf", striker, subject="Striker 7")
    assert (first.code, first.data["verdict"]) == (0, "conforms")
    first = _certify(kit, path, tmp_path / "1.pdf", striker, subject="Striker 7")
    assert first.code == 0, "of the same striker as often as one likes"
    second = _certify(kit, path, tmp_path / "2.pdf", striker, subject="Striker 8")
    assert (second.code, first.data["number"] in second.err, (tmp_path / "2.pdf").exists()) == (4, True, False)
    renamed = ("--replaces", first.data["number"], "--because", "renamed")
    assert _certify(kit, path, tmp_path / "2.pdf", striker, *renamed, subject="Striker 8").code == 0


def test_why_there_is_no_certificate_is_said_at_once(kit: Kit, striker: Path, tmp_path: Path) -> None:
    striker.write_text("\n".join(line for line in STRIKER.splitlines() if "engraving" not in line))
    told = kit(
        "certify", striker, "--spec", "icf-2001-it", "--item", "striker", "--subject", "S", "-o", tmp_path / "r.pdf"
    )
    assert told.code == 3
    assert ["engraving" in line and "not measured" in line for line in told.out.splitlines()] == [False, True]


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        assert not os.environ.get("CI"), f"{name} is missing; .ci/run installs it"
        pytest.skip(f"{name} is not installed")
    return found


def test_independent_tools_find_nothing_wrong(kit: Kit, striker: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.pdf"
    _certify(kit, striker, out, "--lang", "cs")
    subprocess.run([_tool("qpdf"), "--check", out], check=True, capture_output=True)
    text = subprocess.run([_tool("pdftotext"), "-layout", out, "-"], check=True, capture_output=True, text=True).stdout
    assert "Striker 7" in text
    fonts = subprocess.run([_tool("pdffonts"), out], check=True, capture_output=True, text=True).stdout.splitlines()[2:]
    assert fonts
    assert all(line.split()[-5] == "yes" for line in fonts), fonts


def test_the_demonstration_walks_all_the_way(kit: Kit, tmp_path: Path) -> None:
    result = kit("demo", "--out", tmp_path / "demo", "--json")
    assert result.code == 0
    verdicts = [entry["verdict"] for entry in result.data]
    assert (verdicts.count("conforms"), verdicts.count("fails"), verdicts.count("undecided")) == (5, 1, 1)
    for entry in result.data:
        assert _text(Path(entry["pdf"]))


def test_an_inspection_that_has_not_taken_place_yet_is_not_certified(kit: Kit, striker: Path, tmp_path: Path) -> None:
    made = _certify(kit, striker, tmp_path / "o.pdf", "--on", "2099-01-01")
    assert made.code == 2
    assert "lies after today" in made.err


def test_an_inspection_of_long_ago_is_told(kit: Kit, striker: Path, tmp_path: Path) -> None:
    made = _certify(kit, striker, tmp_path / "o.pdf", "--on", "2020-01-01")
    assert "days before the issue" in made.err


ABOUT = """customer = "Czech Carrom Association"
contact = "office@example.org"
environment = "21 °C"
traceability = "Traceable to the national standards."
maker = "Synco"
protest = "Within 30 minutes, to the director"
remarks = ["A small scratch.", "Presented in person."]
"""


def test_all_that_the_standards_let_a_certificate_state_is_printed_when_given(kit: Kit, striker: Path) -> None:
    about, out = striker.with_name("about.toml"), striker.with_name("a.pdf")
    about.write_text(ABOUT)
    long = "A very long remark that goes on. " * 40
    told = ("--serial", "SY-1", "--function", "Chief referee", "--received", "2026-01-02", "--remark", long)
    assert _certify(kit, striker, out, "--about", about, *told).code == 0
    text = " ".join("".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(out)).split())
    facts = ("Czech Carrom Association", "office@example.org", "21 °C", "Traceable to the national", "Synco", "SY-1")
    for fact in (*facts, "Within 30 minutes", "Chief referee", "2 January 2026", "that goes on. A very long remark"):
        assert fact in text


def test_a_thing_without_a_name_is_refused_by_the_name_of_what_lacks(kit: Kit, striker: Path) -> None:
    result = _certify(kit, striker, striker.with_name("a.pdf"), subject=" ")
    assert (result.code, "subject: is empty" in result.err) == (4, True)


def test_nothing_is_certified_that_came_in_after_its_inspection(kit: Kit, striker: Path) -> None:
    result = _certify(kit, striker, striker.with_name("a.pdf"), "--received", "2027-01-10")
    assert (result.code, "--received: lies after the inspection" in result.err) == (4, True)


def test_an_unknown_key_of_the_about_file_is_refused_with_a_suggestion(kit: Kit, striker: Path) -> None:
    about = striker.with_name("about.toml")
    about.write_text('costumer = "x"')
    result = _certify(kit, striker, striker.with_name("a.pdf"), "--about", about)
    assert result.code == 4
    assert "customer" in result.err


def test_full_detail_prints_budgets_and_every_reading(kit: Kit, striker: Path) -> None:
    plain, full = striker.with_name("a.pdf"), striker.with_name("b.pdf")
    assert _certify(kit, striker, plain).code == 0
    assert _certify(kit, striker, full, "--detail", "full", subject="Striker 8").code == 0
    said = [" ".join(p.get_textpage().get_text_range() for p in pypdfium2.PdfDocument(path)) for path in (plain, full)]
    assert "Uncertainty budget" not in said[0]
    assert "Uncertainty budget" in said[1]
    assert "Readings as they came in" in said[1]


def test_a_body_that_is_not_the_keys_own_is_told_on_the_certificate(kit: Kit, striker: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.pdf"
    assert _certify(kit, striker, out, "--issuer", "World Carrom Federation").code == 0
    assert _squeezed("World Carrom Federation is named as the issuing body") in _squeezed(_text(out))
