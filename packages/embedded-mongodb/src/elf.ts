/*
 * The embedded engine needs glibc 2.38 for eight symbols that older versions label otherwise: C23 forms of strtol and
 * others, and an `fmod` without errno. Relabels them for glibc 2.36 and 2.37. Format: ELF-64 object file format, and
 * "Symbol Versioning" of the Linux Standard Base (Elf64_Verneed, Elf64_Vernaux).
 */
const sectionDynsym = 11;
const sectionVersionNeed = 0x6ffffffe;
const sectionVersionSymbol = 0x6fffffff;
const versionWeak = 0x2;
const isoPrefix = '__isoc23_';
const isoNames = new Set(['strtol', 'strtoul', 'strtoll', 'strtoull', 'sscanf', 'fscanf']);
const sameNames = new Set(['fmod']);
/** By architecture, that of every older name. */
const baseVersions: Record<number, string> = { 62: 'GLIBC_2.2.5', 183: 'GLIBC_2.17' };

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

interface Version {
  readonly file: string;
  readonly name: string;
  readonly index: number;
  readonly flagsAt: number;
}

/**
 * Needs at most `glibc` (as in "2.36"). Throws for names without a known equal, so a new release fails before its first
 * call.
 */
export function patchGlibcVersions(original: Buffer, glibc: string): Buffer {
  const elf = Buffer.from(original);
  const machine = readMachine(elf);
  const sections = readSections(elf);
  const versions = readVersions(elf, sections);
  const tooNew = new Map(versions.filter((v) => isTooNew(v.name, glibc)).map((v) => [v.index, v]));
  const symbols = sections.find((section) => section.type === sectionDynsym);
  const labels = sections.find((section) => section.type === sectionVersionSymbol);
  if (tooNew.size === 0 || !symbols || !labels) return elf;
  const strings = sections[symbols.link];
  if (!strings) throw new Error('the symbol table has no names');
  for (let i = 0; i < symbols.size / 24; i += 1) {
    const labelAt = labels.offset + i * 2;
    const version = tooNew.get(elf.readUInt16LE(labelAt) & 0x7fff);
    if (!version) continue;
    const nameAt = symbols.offset + i * 24;
    const name = readString(elf, strings.offset + elf.readUInt32LE(nameAt));
    elf.writeUInt32LE(elf.readUInt32LE(nameAt) + olderNameOffset(name), nameAt);
    const base = versions.find((v) => v.file === version.file && v.name === baseVersions[machine]);
    if (!base) throw new Error(`${version.file} has no base version for ${name}`);
    elf.writeUInt16LE(base.index, labelAt);
  }
  for (const { flagsAt } of tooNew.values()) elf.writeUInt16LE(elf.readUInt16LE(flagsAt) | versionWeak, flagsAt);
  return elf;
}

function olderNameOffset(name: string): number {
  if (sameNames.has(name)) return 0;
  if (name.startsWith(isoPrefix) && isoNames.has(name.slice(isoPrefix.length))) return isoPrefix.length;
  throw new Error(`no older equal is known for the symbol ${name}`);
}

function readMachine(elf: Buffer): number {
  const isElf64LittleEndian = elf.length > 64 && elf.readUInt32BE(0) === 0x7f454c46 && elf[4] === 2 && elf[5] === 1;
  const machine = isElf64LittleEndian ? elf.readUInt16LE(18) : 0;
  if (!(machine in baseVersions)) throw new Error('not a shared library of a supported machine');
  return machine;
}

function readSections(elf: Buffer): Section[] {
  const table = Number(elf.readBigUInt64LE(40));
  const entryBytes = elf.readUInt16LE(58);
  return Array.from({ length: elf.readUInt16LE(60) }, (_, i) => {
    const at = table + i * entryBytes;
    return {
      type: elf.readUInt32LE(at + 4),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      size: Number(elf.readBigUInt64LE(at + 32)),
      link: elf.readUInt32LE(at + 40),
    };
  });
}

function readVersions(elf: Buffer, sections: readonly Section[]): Version[] {
  const need = sections.find((section) => section.type === sectionVersionNeed);
  const strings = need && sections[need.link];
  if (!need || !strings) return [];
  const versions: Version[] = [];
  for (let at = need.offset, next = -1; next !== 0; at += next) {
    const file = readString(elf, strings.offset + elf.readUInt32LE(at + 4));
    let auxAt = at + elf.readUInt32LE(at + 8);
    for (let left = elf.readUInt16LE(at + 2); left > 0; left -= 1) {
      const name = readString(elf, strings.offset + elf.readUInt32LE(auxAt + 8));
      versions.push({ file, name, index: elf.readUInt16LE(auxAt + 6), flagsAt: auxAt + 4 });
      auxAt += elf.readUInt32LE(auxAt + 12);
    }
    next = elf.readUInt32LE(at + 12);
  }
  return versions;
}

function isTooNew(version: string, glibc: string): boolean {
  const match = /^GLIBC_2\.(\d+)/.exec(version);
  const [, minor] = glibc.split('.');
  return match !== null && Number(match[1]) > Number(minor);
}

function readString(elf: Buffer, at: number): string {
  return elf.toString('latin1', at, elf.indexOf(0, at));
}
