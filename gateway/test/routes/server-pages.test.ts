import { expect } from 'chai';
import { ListServersRequest, ListServersResponse, Server } from '@panel/protos/servers';
import { ServerPages } from '../../src/routes/servers/server-pages.js';
import { ServerTexts } from '../../src/routes/servers/server-texts.js';

type Client = Parameters<ServerPages['read']>[0]['servers'];

const request = (page: number) =>
  ListServersRequest.create({ page: { page, perPage: 1, sort: [], search: '' }, sharesVariables: true });

describe('retained pages of servers', () => {
  let pages: ServerPages;
  /** By page: names of its servers. */
  let stored: Map<number, string[]>;
  let total: number;
  let known: (string | undefined)[];
  let knowsDigests: boolean;
  /** Runs before an answer leaves the service. */
  let beforeAnswer: () => Promise<unknown>;

  const service = {
    listServers: async (asked: ListServersRequest) => {
      known.push(asked.knownDigest);
      const { page = 1, perPage = 0 } = asked.page ?? {};
      const names = stored.get(page) ?? [];
      const listed = names.map((name) => ({
        server: Buffer.from(Server.encode(Server.create({ id: name, name })).finish()),
        variablesFrom: 0,
        digest: name,
      }));
      const digest = names.join();
      const isSame = digest === asked.knownDigest;
      await beforeAnswer();
      const info = { page, perPage, total };
      if (!knowsDigests) return ListServersResponse.create({ page: info, listed });
      return ListServersResponse.create({ page: info, digest, listed: isSame ? [] : listed });
    },
  } as unknown as Client;

  beforeEach(() => {
    pages = new ServerPages(new ServerTexts(({ name }) => ({ name })));
    stored = new Map([
      [1, ['a']],
      [2, ['b']],
    ]);
    total = 2;
    known = [];
    knowsDigests = true;
    beforeAnswer = async () => undefined;
  });

  const read = async (page = 1, userId = 'user') => {
    const { texts, page: info } = await pages.read({ servers: service }, request(page), userId, {});
    const names = texts.map(({ json }) => (JSON.parse(json.toString()) as { name: string }).name);
    return { names, total: info?.total };
  };

  it('names the page that it has, and shows its texts with the total of the answer', async () => {
    expect(await read()).to.deep.equal({ names: ['a'], total: 2 });
    total = 3;
    expect(await read()).to.deep.equal({ names: ['a'], total: 3 });
    expect(known).to.deep.equal([undefined, 'a']);
  });

  it('replaces a page that has changed', async () => {
    await read();
    stored.set(1, ['c']);
    expect((await read()).names).to.deep.equal(['c']);
    expect((await read()).names).to.deep.equal(['c']);
    expect(known).to.deep.equal([undefined, 'a', 'c']);
  });

  it('retains each page and each user separately', async () => {
    await read();
    expect((await read(2)).names).to.deep.equal(['b']);
    expect((await read(1, 'other')).names).to.deep.equal(['a']);
    expect((await read(2)).names).to.deep.equal(['b']);
    expect(known).to.deep.equal([undefined, undefined, undefined, 'b']);
  });

  it('shows the page that a read has named, when a concurrent one has replaced it', async () => {
    await read();
    beforeAnswer = async () => {
      beforeAnswer = async () => undefined;
      stored.set(1, ['c']);
      expect((await read()).names).to.deep.equal(['c']);
    };
    expect((await read()).names).to.deep.equal(['a']);
  });

  it('reads whole pages from a service that names none', async () => {
    knowsDigests = false;
    expect((await read()).names).to.deep.equal(['a']);
    stored.set(1, ['c']);
    expect((await read()).names).to.deep.equal(['c']);
    expect(known).to.deep.equal([undefined, undefined]);
  });

  it('drops the least recently read pages above 16 MiB', async () => {
    const name = (page: number) => `${page}${'x'.repeat(1024 * 1024)}`;
    for (let page = 1; page <= 17; page++) {
      stored.set(page, [name(page)]);
      expect((await read(page)).names).to.deep.equal([name(page)]);
    }
    known = [];
    await read(17);
    await read(1);
    expect(known).to.deep.equal([name(17), undefined]);
  });
});
