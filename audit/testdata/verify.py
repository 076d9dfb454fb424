#!/usr/bin/env python3
"""Verify a tada-run record with nothing but Python's standard library.

usage: verify.py HOME      (reads HOME/audit/log*.jsonl, anchor.json, checkpoint, pruned.*, HOME/audit.mark, HOME/sessions/*.cast; packed ones with zstd)
It shares no code with tada-run; that it can be this short is the point.
Exit status 0: everything is as it was written. 1: the first bad entry is named.
"""
import base64, hashlib, hmac, json, os, re, subprocess, sys

def sha(b): return hashlib.sha256(b).hexdigest()
def fail(name, n, why): sys.exit("%s: entry %d: %s" % (name, n, why))
def canonical(v): return json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()

def entry(line, head, n, last):
    """One line of the log, or the reason why it is not the next one."""
    try: e = json.loads(line)
    except ValueError: return None, "not JSON"
    if canonical(e) != line or sorted(e) != ["body", "kind", "prev", "seq", "time"]: return None, "not canonical"
    if e["seq"] != n: return None, "is numbered %s" % e["seq"]
    if e["prev"] != head: return None, "prev is not the hash of the entry before"
    if e["time"] < last and e["kind"] != "clock": return None, "time goes back"
    return e, ""

def covered(data, at, base, head, n, last):
    """The entry that sets the bytes from `at` on apart, and where it begins."""
    start = data.find(b"\n", at) + 1
    while start > 0:
        end = data.find(b"\n", start)
        e, _ = entry(data[start:end], head, n, last) if end >= 0 else (None, "")
        if e and e["kind"] in ("recover", "accept"):
            b, gap = e["body"], data[at:start - 1]
            if (b["offset"], b["bytes"], b["sha256"]) == (at + base, len(gap), sha(gap)): return start
        start = end + 1
    return -1

def root(leaves):
    """The RFC 6962 tree whose leaves are SHA-256(00 || the 32 bytes of an entry's hash)."""
    if len(leaves) == 1: return hashlib.sha256(b"\0" + leaves[0]).digest()
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root(leaves[:k]) + root(leaves[k:])).digest()

def segments(path):
    """Where the log begins, its bytes, and what it must say about what is before."""
    files = {int(m[1] or 0): m[0] for m in map(re.compile(r"log(?:\.(\d{6}))?\.jsonl").fullmatch, os.listdir(path)) if m}
    start, said, first, leaves = (sha(b"autopoiesis:audit:genesis"), 0, 0, ""), None, 0, []
    for n in sorted(files) if 0 not in files else []:
        name = "%s/pruned.%06d" % (path, n)
        if not os.path.exists(name): continue
        said, *lines = open(name, "rb").read().split(b"\n")[:-1]; said = json.loads(said)
        leaves = [hashlib.sha256(x).digest() if x[:1] == b"{" else bytes.fromhex(x.decode("latin1")) for x in lines]
        if len(leaves) != said["count"] or root(leaves).hex() != said["root"] or leaves[-1].hex() != said["head"]:
            fail(name, 0, "is not what was removed")
        start, first = (said["head"], said["count"], said["offset"], said["time"]), n; break
    return start, b"".join(open(path + "/" + files[n], "rb").read() for n in sorted(files) if n >= first), said, leaves

def anchor(path):
    """The newer slot of anchor.json whose MAC is right: HMAC-SHA256 with an empty key, its first 16 bytes, over the
    canonical object with "mac":""."""
    raw, good = open(path, "rb").read(), []
    for slot in (raw[:512], raw[512:]) if len(raw) == 1024 else []:
        try: a = json.loads(slot.strip(b" [],\n"))
        except ValueError: continue # torn
        told = a["mac"]; a["mac"] = ""
        if hmac.new(b"", canonical(a), "sha256").hexdigest()[:32] == told: good.append(a)
    if not good: fail("anchor.json", 0, "neither of its two slots is whole")
    return max(good, key=lambda a: a["turn"])

def mark(path, heads, first):
    """What is remembered outside of the folder: tada-mark/v1 COUNT SIZE LAST HEAD CHECK."""
    line = open(path, "rb").read()
    m = re.fullmatch(rb"(tada-mark/v1 (\d{15}) (\d{15}) (\d{7}) ([0-9a-f]{64}) )([0-9a-f]{16})\n", line)
    if not m or sha(m[1])[:16] != m[6].decode(): fail("audit.mark", 0, "was changed")
    count = int(m[2])
    if count > first and heads.get(count) != (m[5].decode(), int(m[3])): fail("log.jsonl", count - 1, "is not what audit.mark remembers")

def checkpoint(path, leaves):
    """Size, root and head as they were signed; the signature takes Ed25519, which is not in the standard library."""
    origin, size, top, head = open(path).read().split("\n")[:4]
    n = int(size)
    if n > len(leaves) or base64.b64decode(top) != (root(leaves[:n]) if n else hashlib.sha256().digest()) or head != "tada-head " + leaves[n - 1].hex():
        fail("checkpoint", n, "is not one of this log")

def log(path):
    (head, n, base, last), data, said, leaves = segments(path)
    heads, entries, at, first = {}, [], 0, n
    while at < len(data):
        end = data.find(b"\n", at)
        e, why = entry(data[at:end], head, n, last) if end >= 0 else (None, "has no end")
        if e is None:
            at = covered(data, at, base, head, n, last)
            if at < 0: fail("log.jsonl", n, why)
            continue
        head, n, last, at = sha(data[at:end]), n + 1, e["time"], end + 1
        heads[n] = (head, at + base); entries.append(e); leaves.append(bytes.fromhex(head))
    if said and not any(e["kind"] == "prune" and e["body"] == said for e in entries):
        fail("log.jsonl", n, "does not say that its beginning was removed")
    a = anchor(path + "/anchor.json")
    if a["count"] and heads.get(a["count"]) != (a["head"], a["size"]):
        fail("log.jsonl", min(n, a["count"]), "the anchor remembers %d entries and another head, or the log was cut" % a["count"])
    if os.path.exists(path + ".mark"): mark(path + ".mark", heads, first)
    if os.path.exists(path + "/checkpoint"): checkpoint(path + "/checkpoint", leaves)
    return entries, n, head

LINK = re.compile(rb"#t (\d+) (\d+) ([a-z]) (\S+) (\d+) ([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9a-f]{32}|-)")

def transcript(path, closed, heads, redacted):
    name, unpack = os.path.basename(path), ["zstd", "-dcq", path + ".zst"]
    data = open(path, "rb").read() if os.path.exists(path) else subprocess.run(unpack, stdout=subprocess.PIPE, check=True).stdout
    lines = data.split(b"\n")
    chain, total, count, us = sha(lines[0]), 0, 0, 0
    if data[-1:] != b"\n" and closed: fail(name, len(lines) // 2, "the end is missing")
    for i in range(1, len(lines) - 2, 2):
        event, m = lines[i], LINK.fullmatch(lines[i + 1])
        if not m or int(m[1]) != count: fail(name, count, "is not followed by its #t line")
        claim = b" ".join(m.group(1, 2, 3, 4, 5, 6))
        if sha(b"tada-cast/v1\n" + chain.encode() + b" " + claim) != m[7].decode(): fail(name, count, "#t line was changed")
        opening = b'[%d.%06d,"%s","' % (*divmod(int(m[2]) - us, 10**6), m[3])
        if not event.startswith(opening): fail(name, count, "is not the event that its #t line names")
        if m[8] == b"-" and (event != opening + b'"]' or count not in redacted):
            fail(name, count, "was removed without a word in the log")
        elif m[8] != b"-" and hmac.new(bytes.fromhex(m[8].decode()), event, "sha256").hexdigest() != m[6].decode():
            fail(name, count, "was changed")
        chain, total, count, us = m[7].decode(), total + int(m[5]), count + 1, int(m[2])
        if heads.get(count, chain) != chain: fail(name, count - 1, "the log remembers another transcript")
    if count < max(heads, default=0) or closed and (count, total) != (closed["count"], closed["bytes"]):
        fail(name, count, "was cut, or something was added")
    return count

def main(home):
    try: entries, n, head = log(home + "/audit")
    except (ValueError, KeyError) as e: fail("audit", 0, e)
    print("log: %d entries, head %s" % (n, head))
    sessions = {}
    for e in entries:
        if e["kind"] not in ("rec.ckpt", "rec.close", "rec.redact", "rec.drop"): continue
        b = e["body"]
        s = sessions.setdefault(b["sid"], {"closed": None, "heads": {}, "redacted": set(), "dropped": False})
        if e["kind"] == "rec.close": s["closed"] = b
        if "head" in b: s["heads"][b["count"]] = b["head"]
        s["redacted"].update(b.get("events", []))
        s["dropped"] |= e["kind"] == "rec.drop"
    for sid, s in sessions.items():
        path = home + "/sessions/" + sid + ".cast"
        if os.path.exists(path) or os.path.exists(path + ".zst"):
            try: print("%s: %d events" % (sid, transcript(path, s["closed"], s["heads"], s["redacted"])))
            except (OSError, subprocess.CalledProcessError) as e: fail(sid + ".cast", 0, "cannot be read: %s" % e)
        elif not s["dropped"] and s["heads"]: fail(sid + ".cast", 0, "is missing")

if __name__ == "__main__": main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
