#!/usr/bin/env node
// Judge a player's log: `node verify.mjs PACK N LOG [--key PEM]` prints what `levelgen replay PACK#N LOG --json` prints.
//
// PACK is a directory or an `.lgpack`, LOG a file or `-` for standard input. Exit code 0 for a win, 1 for lost,
// unfinished or refused, and the others of docs/formats.md for errors.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import {
  AIDS, DEMO_TRUST, LevelgenError, Malformed, SystemFailed, TrustRoot, Untrusted, archiveMembers, contextOf, encodeJson,
  finding, isMemberName, judge, openPack, parseLog, recoverLog,
} from "./levelgen.mjs";

const MAX_INPUT = 64 << 20;
const USAGE =
  "usage: node verify.mjs PACK N LOG [--key PEM] [--undo N] [--hint N] [--shuffle N] [--first] [--race] [--recover]";
const FLAGS = ["first", "race", "recover"];
const MISSING = "name the folder or the .lgpack that a build wrote";

/** The path as messages spell it: without `./`, doubled and trailing slashes. */
function plain(path) {
  const parts = path.split("/").filter((part) => part && part !== ".").join("/");
  return path.startsWith("/") ? `/${parts}` : parts || ".";
}

function readInput(path) {
  let data;
  try {
    data = readFileSync(path === "-" ? 0 : path);
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") {
      throw Malformed.of("input/missing", "there is no such file", path, "check the path");
    }
    if (error.code === "EISDIR") throw Malformed.of("input/directory", "is a directory, not a file", path);
    throw error;
  }
  if (data.length > MAX_INPUT) throw Malformed.of("input/too-long", `is longer than ${MAX_INPUT} bytes`, path);
  return data;
}

/** An open file as a source of bytes: only what is asked for is read. */
function fileSource(descriptor) {
  const { size } = fstatSync(descriptor);
  const read = (begin, end) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - begin));
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(descriptor, bytes, done, bytes.length - done, begin + done);
      if (!count) return bytes.subarray(0, done);
      done += count;
    }
    return bytes;
  };
  return { size, read };
}

/** The members of a pack on disk. In a directory no link is followed. */
function diskMembers(path, opened) {
  const label = plain(path);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw Malformed.of("pack/missing", "there is no pack", label, MISSING);
  const source = (at, flags) => {
    opened.push(openSync(at, constants.O_RDONLY | flags));
    return fileSource(opened.at(-1));
  };
  if (!status.isDirectory()) {
    if (!status.isFile()) throw Untrusted.of("pack/container", "is no plain file", label);
    return archiveMembers(source(path, 0), label);
  }
  const known = new Map();
  const find = (name) => {
    const parts = isMemberName(name) ? name.split("/") : [];
    let at = path;
    for (const [place, part] of parts.entries()) {
      at += `/${part}`;
      const found = lstatSync(at, { throwIfNoEntry: false });
      if (found === undefined) return null;
      const fine = place + 1 < parts.length ? found.isDirectory() : found.isFile();
      if (!fine) {
        const message = found.isSymbolicLink() ? "is a link" : "is no plain file";
        throw Untrusted.of("pack/link", message, `${label}/${part}`, "a pack holds plain files only");
      }
    }
    return parts.length ? source(at, constants.O_NOFOLLOW | constants.O_NONBLOCK) : null;
  };
  const member = (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
  return { label, member };
}

/** Positional arguments and options. */
function readArguments(words) {
  const [given, options] = [[], {}];
  const left = [...words];
  while (left.length) {
    const word = left.shift();
    if (word.startsWith("--") && FLAGS.includes(word.slice(2))) options[word.slice(2)] = true;
    else if (word === "--key" && left.length) options.key = left.shift();
    else if (AIDS.includes(word.slice(2)) && word.startsWith("--") && /^[0-9]{1,15}$/.test(left[0] ?? "")) {
      options[word.slice(2)] = Number(left.shift());
    } else if (word.startsWith("--")) throw Malformed.of("usage", `${word} is not understood`, "", USAGE);
    else given.push(word);
  }
  if (given.length !== 3 || !/^[1-9][0-9]{0,8}$/.test(given[1])) {
    throw Malformed.of("usage", "PACK, N and LOG are needed", "", USAGE);
  }
  if (options.race && (options.first || AIDS.some((aid) => aid in options))) {
    throw Malformed.of("usage", "a race has its own tools and earns nothing: leave the others out", "", USAGE);
  }
  return { pack: given[0], number: Number(given[1]), log: given[2], options };
}

/** The keys in a file; the DEMONSTRATION key only where no file is named at all. */
function trustFrom(key) {
  if (key === undefined) return DEMO_TRUST;
  if (!key) throw Malformed.of("key/empty", "is empty", "--key or $LEVELGEN_KEY", "give a value, or leave it out altogether");
  return TrustRoot.fromPem(readInput(key).toString("latin1"), key);
}

const whole = (data, where) => ({ log: parseLog(data, where) });

async function verdictOf(words) {
  const { pack: path, number, log, options } = readArguments(words);
  const { log: played, torn } = (options.recover ? recoverLog : whole)(readInput(log), log);
  const trust = trustFrom(options.key ?? process.env.LEVELGEN_KEY);
  const opened = [];
  try {
    const pack = await openPack(diskMembers(path, opened), trust);
    const record = pack.level(number);
    const verdict = judge(record, played, contextOf(record, pack.manifest, options, options));
    const told = options.recover ? { torn } : {};
    const level = `${record.pack}#${record.level}`;
    return { schema: "levelgen/verdict/1", level, record: record.digest, ...told, ...verdict };
  } finally {
    opened.forEach(closeSync);
  }
}

/** What went wrong as findings and an exit code, as the command line tells it. */
function explain(error) {
  if (error instanceof LevelgenError) return error;
  if (!error?.code || !error.syscall) throw error;
  const found = finding(`system/${error.code.toLowerCase()}`, error.message, error.path ?? "");
  return new SystemFailed([found]);
}

try {
  const answer = await verdictOf(process.argv.slice(2));
  process.stdout.write(`${encodeJson(answer, " ")}\n`);
  process.exitCode = answer.verdict === "won" ? 0 : 1;
} catch (error) {
  const { findings, exitCode, message } = explain(error);
  process.stderr.write(`error: ${message}\n`);
  const answer = { schema: "levelgen/error/1", exit_code: exitCode, findings };
  process.stdout.write(`${encodeJson(answer, " ")}\n`);
  process.exitCode = exitCode;
}
