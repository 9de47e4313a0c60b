import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { FileOperation_State as State } from '@panel/protos/files';
import { expect } from 'chai';
import { requirePublicHost } from '../../src/pull/public-address.js';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';

describe('address of a pull', () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '[::ffff:a9fe:a9fe]', '[2002:7f00:1::]', '168.63.129.16'])
    it(`refuses a pull from ${address}`, () => expect(() => requirePublicHost(address)).to.throw());
  for (const host of ['1.1.1.1', '[2606:4700:4700::1111]', 'example.org'])
    it(`accepts a pull from ${host}`, () => expect(() => requirePublicHost(host)).not.to.throw());
});

describe('pulling a file from a URL', () => {
  let running: RunningFiles;
  let serverId: string;
  let directory: string;
  let web: Server;
  let origin: string;
  let respond: RequestListener = (_request, response) => void response.end('hello');
  before(async () => {
    running = await startTestFiles({ env: { PULL_ALLOW_PRIVATE: 'true' } });
    web = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1');
    await once(web, 'listening');
    origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  });
  after(async () => {
    web.closeAllConnections();
    web.close();
    await running.stop();
  });
  beforeEach(async () => {
    ({ serverId, directory } = await newVolume(running));
    respond = (_request, response) => void response.end('hello');
  });

  const pull = async (
    url: string,
    more: { directory?: string; name?: string; limit?: number; upload?: number } = {},
  ) => {
    const grant = running.grant(serverId, 'file.create', {
      diskLimitBytes: more.limit ?? 0,
      uploadLimitBytes: more.upload ?? 0,
    });
    const request = { grant, url, directory: more.directory ?? '', name: more.name ?? '' };
    return (await running.files.pullFile(request)).operation;
  };

  it('writes the file under the name in the URL and creates directories', async () => {
    const operation = await pull(`${origin}/mods/a%20b.jar?x=1`, { directory: '/mods/new' });
    expect(operation).to.include({ state: State.COMPLETED, path: '/mods/new/a b.jar', bytesDone: 5 });
    expect(await readFile(path.join(directory, 'mods', 'new', 'a b.jar'), 'utf8')).to.equal('hello');
  });

  it('names the file as the server does, else as the URL that was given, without directories', async () => {
    const named = async (path: string, header = '') => {
      respond = ({ url }, response) => {
        if (url?.startsWith('/go') || url?.startsWith('/?'))
          response.writeHead(302, { location: '/blobs/0a1b2c' }).end();
        else response.writeHead(200, header === '' ? {} : { 'content-disposition': header }).end('hello');
      };
      return (await pull(`${origin}${path}`))?.path;
    };
    expect(await named('/go/plugin.jar?token=1')).to.equal('/plugin.jar');
    expect(await named('/go/x', 'attachment; filename="mod v1.jar"')).to.equal('/mod v1.jar');
    expect(await named('/y', "attachment; filename=a.jar; filename*=UTF-8''w%C3%B6rld.zip")).to.equal('/wörld.zip');
    for (const [at, evil] of ['../../up.jar', '/etc/up.jar', 'C:\\\\up.jar'].entries()) {
      expect(await named(`/z${at}`, `attachment; filename="${evil}"`)).to.equal('/up.jar');
      await rm(path.join(directory, 'up.jar'));
    }
    expect(await named('/broken.jar', 'attachment; filename')).to.equal('/broken.jar');
    expect(await reasonOf(named('/dots', 'attachment; filename=".."'))).to.equal('INVALID_FIELDS');
    expect(await named('/?id=1')).to.equal('/0a1b2c');
  });

  it('ends at a server that sends interim answers for ever', async () => {
    let sent = 0;
    respond = (_request, response) => {
      const { socket } = response;
      const hints = 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(100);
      const send = () => {
        if (!socket?.writable) return;
        socket.write(hints);
        sent += 100;
        setImmediate(send);
      };
      send();
    };
    expect(await reasonOf(pull(`${origin}/x`))).to.equal('DOWNLOAD_FAILED');
    expect(sent).to.be.above(0);
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('follows at most five redirects', async () => {
    respond = (request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end('done');
    };
    expect(await pull(`${origin}/5`, { name: 'f' })).to.include({ state: State.COMPLETED });
    expect(await reasonOf(pull(`${origin}/6`, { name: 'g' }))).to.equal('DOWNLOAD_FAILED');
    expect(await readdir(directory)).to.deep.equal(['f']);
  });

  it('refuses other schemes, credentials, redirects to them and names that are paths', async () => {
    for (const url of ['file:///etc/passwd', 'ftp://example.com/x', 'gopher://x', 'x', 'http://x/'.padEnd(3000, 'a')]) {
      expect(await reasonOf(pull(url))).to.equal('INVALID_FIELDS');
    }
    expect(await reasonOf(pull(`${origin.replace('//', '//user:pass@')}/x`))).to.equal('URL_REFUSED');
    respond = (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    expect(await reasonOf(pull(`${origin}/x`))).to.equal('URL_REFUSED');
    respond = (_request, response) => void response.end('x');
    for (const name of ['../x', 'a/b', '/']) {
      expect(await reasonOf(pull(`${origin}/x`, { name }))).to.equal('INVALID_FIELDS');
    }
    expect(await reasonOf(pull(`${origin}/%2e%2e%2fx`))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(pull(`${origin}/`))).to.equal('INVALID_FIELDS');
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('leaves nothing when the server refuses, declares a wrong length or disconnects', async () => {
    respond = (_request, response) => void response.writeHead(404).end('no');
    expect(await reasonOf(pull(`${origin}/x`))).to.equal('DOWNLOAD_FAILED');
    respond = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    };
    expect(await reasonOf(pull(`${origin}/x`))).to.equal('DOWNLOAD_FAILED');
    expect(await reasonOf(pull('http://127.0.0.1:1/x'))).to.equal('DOWNLOAD_FAILED');
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('leaves nothing when the server answers with what is no whole response', async () => {
    const length = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n';
    for (const answer of [
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\nContent-Range: bytes 0-2/9\r\n\r\nabc',
      `${length}Content-Length: 5\r\n\r\nabc`,
      `${length}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
      `${length}X-Large: ${'x'.repeat(20_000)}\r\n\r\nabc`,
      'SSH-2.0-x\r\n',
    ]) {
      respond = (_request, response) => void response.socket?.end(answer);
      const operation = await pull(`${origin}/x`).catch((error: unknown) => error);
      expect(operation, answer.slice(0, 100)).to.include({ reason: 'DOWNLOAD_FAILED' });
    }
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('stops at the upload and disk limits, whether the length is declared or not', async () => {
    const bytes = Buffer.alloc(1024 * 1024, 1);
    for (const announced of [true, false]) {
      respond = (_request, response) => {
        if (announced) response.setHeader('content-length', bytes.length);
        response.write(bytes);
        response.end();
      };
      expect(await reasonOf(pull(`${origin}/x`, { upload: 500_000 }))).to.equal('UPLOAD_TOO_LARGE');
      expect(await reasonOf(pull(`${origin}/x`, { limit: 500_000 }))).to.equal('DISK_LIMIT');
    }
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('overwrites no file', async () => {
    await pull(`${origin}/x`);
    expect(await reasonOf(pull(`${origin}/x`))).to.equal('FILE_EXISTS');
  });

  it('shows progress and can be cancelled', async () => {
    respond = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000000' });
      response.write(Buffer.alloc(1000));
    };
    const ended = reasonOf(pull(`${origin}/slow`));
    const grant = running.grant(serverId, 'file.read');
    const first = async () => (await running.files.listFileOperations({ grant })).operations[0];
    await waitUntil('progress', async () => (await first())?.bytesDone === 1000);
    expect((await first())?.bytesTotal).to.equal(1_000_000);
    const operationId = (await first())?.id ?? '';
    await running.files.cancelFileOperation({ grant: running.grant(serverId, 'file.archive'), operationId });
    expect(await ended).to.equal('OPERATION_CANCELLED');
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('runs at most two operations per server concurrently', async () => {
    respond = () => undefined;
    const ended = Promise.all([reasonOf(pull(`${origin}/a`)), reasonOf(pull(`${origin}/b`))]);
    const grant = running.grant(serverId, 'file.read');
    const list = async () => (await running.files.listFileOperations({ grant })).operations;
    await waitUntil('both', async () => (await list()).length === 2);
    expect(await reasonOf(pull(`${origin}/c`))).to.equal('OPERATION_LIMIT');
    for (const { id: operationId } of await list()) {
      await running.files.cancelFileOperation({ grant: running.grant(serverId, 'file.archive'), operationId });
    }
    expect(await ended).to.deep.equal(['OPERATION_CANCELLED', 'OPERATION_CANCELLED']);
  });

  it('marks a pull failed in the next process when the service stops', async () => {
    respond = () => undefined;
    void pull(`${origin}/a`).catch(() => undefined);
    const grant = () => running.grant(serverId, 'file.read');
    const first = async () => (await running.files.listFileOperations({ grant: grant() })).operations[0];
    await waitUntil('the start', async () => (await first())?.state === State.RUNNING);
    await running.restart();
    expect((await first())?.state).to.equal(State.FAILED);
  });

  it('refuses private addresses in any notation unless the node allows them', async () => {
    const strict = await startTestFiles();
    try {
      const volume = await newVolume(strict);
      const { port } = web.address() as AddressInfo;
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0']) {
        const request = { grant: strict.grant(volume.serverId, 'file.create'), directory: '', name: 'f' };
        const call = strict.files.pullFile({ ...request, url: `http://${host}:${port}/x` });
        expect(await reasonOf(call), host).to.equal('URL_REFUSED');
      }
      expect(await readdir(volume.directory)).to.deep.equal([]);
    } finally {
      await strict.stop();
    }
  });
});
