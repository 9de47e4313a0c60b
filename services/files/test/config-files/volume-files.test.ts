import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { ConfigFile, ConfigFile_Parser, RewriteConfigFilesResponse_Outcome as Outcome } from '@panel/protos/files';
import { expect } from 'chai';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

// oxlint-disable-next-line no-control-regex -- none may be in a message
const control = /[\u0000-\u001f]/;
const outsideText = 'a=host\n';

describe('WriteConfigFiles', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
  });

  const properties = (file: string, values: Record<string, string>, more: Partial<ConfigFile> = {}): ConfigFile =>
    ConfigFile.create({
      path: file,
      parser: ConfigFile_Parser.PROPERTIES,
      createFile: true,
      replacements: Object.entries(values).map(([key, value]) => ({ key, value: { $case: 'text', value } })),
      ...more,
    });
  const rewrite = async (...files: ConfigFile[]) =>
    (await running.volumes.rewriteConfigFiles({ serverId, files }, { timeoutMs: 25_000 })).results;
  const outcomes = async (...files: ConfigFile[]) => (await rewrite(...files)).map(({ outcome }) => outcome);
  const inside = (...names: string[]) => path.join(directory, ...names);

  it('writes files, and changes nothing when repeated', async () => {
    await writeFile(inside('server.properties'), '#head\nserver-port=1\n');
    const file = properties('server.properties', { 'server-port': '25565' });
    expect(await rewrite(file)).to.deep.equal([{ path: 'server.properties', outcome: Outcome.WRITTEN, message: '' }]);
    const { ino } = await stat(inside('server.properties'));
    expect(await outcomes(file)).to.deep.equal([Outcome.UNCHANGED]);
    expect(await readFile(inside('server.properties'), 'utf8')).to.equal('#head\nserver-port=25565\n');
    expect((await stat(inside('server.properties'))).ino).to.equal(ino);
    expect(await readdir(directory)).to.deep.equal(['server.properties']);
  });

  it('writes files of every parser', async () => {
    const { CREATED } = Outcome;
    const create = (name: string, parser: ConfigFile_Parser) => properties(name, { 'a.b': '7' }, { parser });
    const files = [
      create('x.ini', ConfigFile_Parser.INI),
      create('x.yml', ConfigFile_Parser.YAML),
      create('x.json', ConfigFile_Parser.JSON),
      create('x.toml', ConfigFile_Parser.TOML),
      create('x.xml', ConfigFile_Parser.XML),
      create('x.properties', ConfigFile_Parser.PROPERTIES),
    ];
    expect(await outcomes(...files)).to.deep.equal([CREATED, CREATED, CREATED, CREATED, CREATED, CREATED]);
    const texts = await Promise.all(files.map(async (file) => readFile(inside(file.path), 'utf8')));
    expect(texts).to.deep.equal([
      '[a]\nb = 7\n',
      'a:\n  b: 7\n',
      '{\n  "a": {\n    "b": 7\n  }\n}\n',
      '[a]\nb = 7\n',
      '<?xml version="1.0" encoding="utf-8"?>\n<a>\n  <b>7</b>\n</a>\n',
      'a.b=7\n',
    ]);
    expect(new Set(await outcomes(...files))).to.deep.equal(new Set([Outcome.UNCHANGED]));
  });

  it('accepts booleans, numbers and conditions', async () => {
    await writeFile(inside('c.json'), '{"host": "localhost:5", "n": "x", "f": "x"}');
    const file = ConfigFile.create({
      path: 'c.json',
      parser: ConfigFile_Parser.JSON,
      replacements: [
        { key: 'n', value: { $case: 'number', value: 5 } },
        { key: 'f', value: { $case: 'flag', value: false } },
        {
          key: 'host',
          value: { $case: 'text', value: '10.0.0.1$1' },
          condition: { match: '^localhost(:\\d+)?$', isRegex: true },
        },
        { key: 'n', value: { $case: 'number', value: 6 }, condition: { match: '7', isRegex: false } },
      ],
    });
    expect(await outcomes(file)).to.deep.equal([Outcome.WRITTEN]);
    expect(await readFile(inside('c.json'), 'utf8')).to.equal('{"host": "10.0.0.1:5", "n": 5, "f": false}');
  });

  it('creates missing files and directories for the user of the volume', async () => {
    expect(await outcomes(properties('data/deep/x.properties', { a: '1' }))).to.deep.equal([Outcome.CREATED]);
    const volume = await stat(directory);
    for (const name of ['data', 'data/deep', 'data/deep/x.properties']) {
      const { uid, gid } = await stat(inside(name));
      expect({ uid, gid }, name).to.deep.equal({ uid: volume.uid, gid: volume.gid });
    }
    expect((await stat(inside('data/deep/x.properties'))).mode & 0o777).to.equal(0o644);
  });

  it('creates no file when the egg forbids it or when it would be empty', async () => {
    const results = await rewrite(
      properties('no.properties', { a: '1' }, { createFile: false }),
      properties('data/no.conf', { a: 'a 1' }, { parser: ConfigFile_Parser.FILE }),
    );
    expect(results.map(({ outcome }) => outcome)).to.deep.equal([Outcome.SKIPPED, Outcome.SKIPPED]);
    for (const { message } of results) expect(message).to.match(/no such file/);
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('keeps owner and mode and removes set-user-id bits', async function () {
    await writeFile(inside('x.properties'), 'a=1\n');
    await chmod(inside('x.properties'), 0o4640);
    if (process.getuid?.() === 0) await chown(inside('x.properties'), 12345, 23456);
    const before = await stat(inside('x.properties'));
    expect(await outcomes(properties('x.properties', { a: '2' }))).to.deep.equal([Outcome.WRITTEN]);
    const after = await stat(inside('x.properties'));
    expect({ uid: after.uid, gid: after.gid, mode: after.mode & 0o7777 }).to.deep.equal({
      uid: before.uid,
      gid: before.gid,
      mode: 0o640,
    });
  });

  it('processes the other files when one fails', async () => {
    await mkdir(inside('directory'));
    await writeFile(inside('broken.yml'), 'a: [1\n');
    await writeFile(inside('large.properties'), Buffer.alloc(4 * 1024 * 1024 + 1, '#'));
    execFileSync('mkfifo', [inside('pipe')]);
    const results = await rewrite(
      properties('directory', { a: '1' }),
      properties('broken.yml', { a: '1' }, { parser: ConfigFile_Parser.YAML }),
      properties('large.properties', { a: '1' }),
      properties('pipe', { a: '1' }),
      properties('large.properties/below', { a: '1' }),
      properties('x.properties', { a: '1' }, { parser: ConfigFile_Parser.UNSPECIFIED }),
      properties('good.properties', { a: '1' }),
    );
    expect(results.map(({ outcome }) => outcome)).to.deep.equal([
      ...Array<Outcome>(6).fill(Outcome.SKIPPED),
      Outcome.CREATED,
    ]);
    for (const { message } of results.slice(0, -1)) expect(message).to.match(/^[^\n]+$/);
    expect(await readFile(inside('broken.yml'), 'utf8')).to.equal('a: [1\n');
    expect((await stat(inside('large.properties'))).size).to.equal(4 * 1024 * 1024 + 1);
  });

  it('reports each failed replacement in one line and applies the others', async () => {
    await writeFile(inside('c.json'), '{"a": 1, "b": 1}');
    const changes = { 'a.\u001b[31m\nx': '1', b: '2' };
    const [result] = await rewrite(properties('c.json', changes, { parser: ConfigFile_Parser.JSON }));
    expect(result).to.include({ outcome: Outcome.WRITTEN });
    expect(result?.message)
      .to.match(/single value/)
      .and.not.match(control);
    expect(await readFile(inside('c.json'), 'utf8')).to.equal('{"a": 1, "b": 2}');
  });

  describe('links', () => {
    let outside: string;
    beforeEach(async () => {
      outside = path.join(running.dataRoot, randomUUID());
      await mkdir(outside);
      await writeFile(path.join(outside, 'x.properties'), outsideText);
    });

    for (const [what, make, asked] of [
      ['an absolute link to a file', async () => symlink(path.join(outside, 'x.properties'), inside('l')), 'l'],
      ['a link that climbs', async () => symlink(`../../${path.basename(outside)}/x.properties`, inside('l')), 'l'],
      ['a link on the way', async () => symlink(outside, inside('d')), 'd/x.properties'],
      ['a link on the way to a new file', async () => symlink(outside, inside('d')), 'd/new.properties'],
      [
        'a link on the way to new directories',
        async () => symlink(`../../${path.basename(outside)}`, inside('d')),
        'd/e/new.properties',
      ],
      ['a link to itself', async () => symlink('l', inside('l')), 'l'],
    ] as const) {
      it(`follows no link through ${what}`, async () => {
        await make();
        const [result] = await rewrite(properties(asked, { a: 'tenant' }));
        expect(result).to.include({ outcome: Outcome.SKIPPED });
        expect(await readFile(path.join(outside, 'x.properties'), 'utf8')).to.equal(outsideText);
        expect(await readdir(outside)).to.deep.equal(['x.properties']);
      });
    }

    it('follows and keeps links inside the server', async () => {
      await mkdir(inside('real'));
      await writeFile(inside('real/x.properties'), 'a=1\n');
      await symlink('real/x.properties', inside('l'));
      await symlink('real', inside('d'));
      expect(await outcomes(properties('l', { a: '2' }), properties('d/x.properties', { b: '3' }))).to.deep.equal([
        Outcome.WRITTEN,
        Outcome.WRITTEN,
      ]);
      expect(await readFile(inside('real/x.properties'), 'utf8')).to.equal('a=2\nb=3\n');
      expect(await readdir(directory)).to.have.members(['d', 'l', 'real']);
    });
  });

  for (const asked of ['', '/', '.', '../x', 'a/../../x', '/proc/self/environ/../x', 'a\0b', 'a\\b', 'x'.repeat(300)]) {
    it(`resolves no link for ${JSON.stringify(asked.slice(0, 30))}`, async () => {
      const [result] = await rewrite(properties(asked, { a: '1' }));
      expect(result).to.include({ outcome: Outcome.SKIPPED });
      expect(await readdir(directory)).to.deep.equal([]);
    });
  }

  it('writes config files safely while the game changes them concurrently', async () => {
    const target = inside('x.properties');
    await writeFile(target, 'a=0\n');
    const over = new AbortController();
    const game = (async () => {
      for (let at = 0; !over.signal.aborted; at += 1) await writeFile(target, `a=${at}\n`);
    })();
    const calls = Array.from({ length: 10 }, async (_, at) => outcomes(properties('x.properties', { b: String(at) })));
    for (const [outcome] of await Promise.all(calls)) expect(outcome).to.be.oneOf([Outcome.WRITTEN, Outcome.UNCHANGED]);
    over.abort();
    await game;
    expect(await readdir(directory)).to.deep.equal(['x.properties']);
  });

  it('requires an internal service', async () => {
    const actorToken = running.tokenOf({
      kind: 'user',
      userId: randomUUID(),
      permissions: ['*'],
      method: 'session',
      credentialId: randomUUID(),
      ip: '192.0.2.1',
    });
    expect(await reasonOf(running.volumes.rewriteConfigFiles({ serverId, files: [] }, { actorToken }))).to.equal(
      'SERVICE_REQUIRED',
    );
  });

  it('requires an existing volume', async () => {
    const ask = async (id: string, count = 1) =>
      reasonOf(
        running.volumes.rewriteConfigFiles({
          serverId: id,
          files: Array<ConfigFile>(count).fill(properties('x', { a: '1' })),
        }),
      );
    expect(await ask(randomUUID())).to.equal('VOLUME_NOT_FOUND');
    expect(await ask('../x')).to.equal('INVALID_FIELDS');
    expect(await ask(serverId, 101)).to.equal('INVALID_FIELDS');
  });
});
