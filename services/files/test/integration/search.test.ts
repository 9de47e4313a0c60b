import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SearchFilesRequest, SearchFilesResponse_Match as Match } from '@panel/protos/files';
import { eventLoopShare, processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('searching the files of a server', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await mkdir(path.join(directory, 'plugins', 'Essentials'), { recursive: true });
    await writeFile(path.join(directory, 'server.properties'), 'motd=hi\nserver-port=25565\n');
    await writeFile(path.join(directory, 'plugins', 'Essentials', 'config.yml'), 'a: 1\nb: Server-Port\n');
    await writeFile(path.join(directory, 'plugins', 'binary.bin'), Buffer.from('server-port\0'));
  });

  const search = async (request: Partial<SearchFilesRequest>, denylist: string[] = []) => {
    const grant = running.grant(serverId, 'file.read-content', { denylist });
    const matches: Match[] = [];
    let isComplete: boolean | null = null;
    const call = running.files.searchFiles({ grant, root: '', name: '', content: '', limit: 0, ...request });
    for await (const { part } of call) {
      if (part?.$case === 'match') matches.push(part.value);
      if (part?.$case === 'summary') isComplete = part.value.complete;
    }
    return { matches, paths: matches.map((match) => match.path), isComplete };
  };

  it('finds names by substring, ignoring case', async () => {
    expect((await search({ name: 'SERVER' })).paths).to.deep.equal(['/server.properties']);
    expect((await search({ name: 'essent' })).paths).to.deep.equal(['/plugins/Essentials']);
  });

  it('finds names by wildcards', async () => {
    expect((await search({ name: '*.y?l' })).paths).to.deep.equal(['/plugins/Essentials/config.yml']);
    expect((await search({ name: '*.y' })).paths).to.deep.equal([]);
  });

  it('finds content with its line in text files only', async () => {
    const { matches, isComplete } = await search({ content: 'server-port' });
    expect(matches.map(({ path: at, line, text }) => ({ at, line, text }))).to.deep.equal([
      { at: '/plugins/Essentials/config.yml', line: 2, text: 'b: Server-Port' },
      { at: '/server.properties', line: 2, text: 'server-port=25565' },
    ]);
    expect(isComplete).to.equal(true);
    expect((await search({ content: 'server-port', name: '*.properties' })).paths).to.deep.equal([
      '/server.properties',
    ]);
  });

  it('finds the line after characters whose lower case is longer', async () => {
    await writeFile(path.join(directory, 'towns.txt'), `${'İ'.repeat(40)}\nPort of İzmir\nlast\n`);
    const { matches } = await search({ content: 'port of', name: '*.txt' });
    expect(matches.map(({ line, text }) => ({ line, text }))).to.deep.equal([{ line: 2, text: 'Port of İzmir' }]);
  });

  it('searches below the given directory only', async () => {
    expect((await search({ root: '/plugins', content: 'server-port' })).paths).to.deep.equal([
      '/plugins/Essentials/config.yml',
    ]);
    expect(await reasonOf(search({ root: '/server.properties', name: 'x' }))).to.equal('NOT_A_DIRECTORY');
    expect(await reasonOf(search({ root: '/..', name: 'x' }))).to.equal('INVALID_FIELDS');
  });

  it('stops at its limit and reports it', async () => {
    const { matches, isComplete } = await search({ name: '*', limit: 2 });
    expect(matches).to.have.length(2);
    expect(isComplete).to.equal(false);
  });

  it('follows no links and shows no protected files', async () => {
    await writeFile(path.join(running.dataRoot, 'secret'), 'server-port of the host');
    await symlink('../../secret', path.join(directory, 'link'));
    await symlink('../..', path.join(directory, 'up'));
    expect((await search({ content: 'of the host' })).paths).to.deep.equal([]);
    expect((await search({ content: 'server-port' }, ['*.yml'])).paths).to.deep.equal(['/server.properties']);
    expect((await search({ name: 'config' }, ['plugins/'])).paths).to.deep.equal([]);
  });

  it('requires a query of bounded length and the permission', async () => {
    for (const request of [{}, { name: 'x'.repeat(201) }, { content: 'x'.repeat(201) }, { name: 'x', limit: 501 }]) {
      expect(await reasonOf(search(request))).to.equal('INVALID_FIELDS');
    }
    const grant = running.grant(serverId, 'file.read');
    expect(await reasonOf(search({ grant, name: 'x' }))).to.equal('GRANT_INSUFFICIENT');
  });

  it('takes linear time for any pattern', async () => {
    await writeFile(path.join(directory, 'a'.repeat(250)), '');
    const startedAt = processorMs();
    expect((await search({ name: `${'*a'.repeat(90)}b` })).paths).to.deep.equal([]);
    expect(processorMs() - startedAt).to.be.below(2_000);
  });

  describe('in many large files', () => {
    const fill = async (links: number) => {
      const text = 'Some Words of a log, and no secret\n'.repeat(100_000).slice(0, 3 * 1024 * 1024);
      await writeFile(path.join(directory, 'log-0.txt'), text);
      for (let i = 1; i < links; i += 1) {
        await link(path.join(directory, 'log-0.txt'), path.join(directory, `log-${i}.txt`));
      }
    };

    it('leaves the event loop to other requests', async () => {
      await fill(80);
      // starts the thread
      await search({ name: 'log-0.txt' });
      const share = await eventLoopShare(async () => {
        const { paths, isComplete } = await search({ content: 'not in there' });
        expect(paths).to.deep.equal([]);
        expect(isComplete).to.equal(true);
      });
      expect(share).to.be.below(0.4);
    });

    it('lets no owner wait for more than one search of each other owner', async () => {
      await fill(10);
      const busy = {
        grant: running.grant(serverId, 'file.read-content', { ownerId: randomUUID() }),
        content: 'not in',
      };
      const order: string[] = [];
      const flood = Array.from({ length: 9 }, async () => {
        const reason = await reasonOf(search(busy));
        order.push(reason);
      });
      const small = await newVolume(running);
      const grant = running.grant(small.serverId, 'file.read-content', { ownerId: randomUUID() });
      await search({ grant, content: 'x' });
      order.push('other');
      await Promise.all(flood);
      expect(order.filter((reason) => reason === 'none')).to.have.length(5);
      expect(order.filter((reason) => reason === 'OPERATION_LIMIT')).to.have.length(4);
      const before = order.slice(0, order.indexOf('other')).filter((reason) => reason === 'none');
      expect(before.length).to.be.at.most(2);
    });

    it('stops in the thread when its caller leaves', async () => {
      await fill(80);
      const grant = running.grant(serverId, 'file.read-content');
      const caller = new AbortController();
      const call = { grant, root: '', name: '', content: 'not in there', limit: 0 };
      const left = reasonOf(
        (async () => {
          for await (const _ of running.files.searchFiles(call, { signal: caller.signal }));
        })(),
      );
      caller.abort();
      expect(await left).not.to.equal('none');
      expect((await search({ name: 'server.properties' })).paths).to.deep.equal(['/server.properties']);
    });
  });
});

describe('ChangeFileModes', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  before(async () => {
    running = await startTestFiles();
  });
  after(async () => running.stop());
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    await writeFile(path.join(directory, 'run.sh'), '');
  });

  const chmod = async (files: { path: string; mode: number }[], denylist: string[] = []) =>
    running.files.chmodFiles({ grant: running.grant(serverId, 'file.update', { denylist }), root: '', files });
  const modeOf = async (name: string) => (await stat(path.join(directory, name))).mode & 0o7777;

  it('sets the permission bits of files and directories', async () => {
    await mkdir(path.join(directory, 'd'));
    await chmod([
      { path: 'run.sh', mode: 0o755 },
      { path: '/d', mode: 0o700 },
    ]);
    expect(await modeOf('run.sh')).to.equal(0o755);
    expect(await modeOf('d')).to.equal(0o700);
  });

  it('refuses set-user-id, set-group-id and sticky bits', async () => {
    for (const mode of [0o4755, 0o2755, 0o1777, -1]) {
      expect(await reasonOf(chmod([{ path: 'run.sh', mode }]))).to.equal('INVALID_FIELDS');
    }
  });

  it('follows no link and changes nothing when one path is refused', async () => {
    const outside = path.join(running.dataRoot, 'outside');
    await writeFile(outside, '', { mode: 0o600 });
    await symlink('../../outside', path.join(directory, 'link'));
    await symlink('..', path.join(directory, 'up'));
    const before = await modeOf('run.sh');
    for (const bad of ['link', 'up/x', 'missing', '/', '..']) {
      expect(
        await reasonOf(
          chmod([
            { path: 'run.sh', mode: 0o777 },
            { path: bad, mode: 0o777 },
          ]),
        ),
      ).to.be.oneOf(['LINK_REFUSED', 'FILE_NOT_FOUND', 'INVALID_FIELDS']);
    }
    expect(await reasonOf(chmod([{ path: 'run.sh', mode: 0o777 }], ['run.sh']))).to.equal('FILE_DENIED');
    expect(await modeOf('run.sh')).to.equal(before);
    expect((await stat(outside)).mode & 0o777).to.equal(0o600);
    expect(await readdir(directory)).to.have.members(['run.sh', 'link', 'up']);
  });
});
