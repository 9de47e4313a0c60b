import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { serverPermissions } from '@panel/protos/permissions';
import { expect } from 'chai';
import { failureOf, openWrapper, Sftp, type SftpFixture, startSftpFixture } from './fixture.js';

interface Operation {
  readonly name: string;
  readonly permission: string;
  /** Changes entries of the rule's directory. */
  readonly isWriting: boolean;
  readonly run: (sftp: Sftp) => Promise<unknown>;
}

const withFile = async (sftp: Sftp, name: string, flags: 'r' | 'w' | 'a' | 'r+') =>
  sftp.close(await sftp.open(name, flags));

/** On `/area`, with a file and a directory. */
const operations: readonly Operation[] = [
  { name: 'list', permission: 'file.read', isWriting: false, run: async (sftp) => sftp.list('/area') },
  { name: 'stat', permission: 'file.read', isWriting: false, run: async (sftp) => sftp.stat('/area/a.txt') },
  {
    name: 'read',
    permission: 'file.read-content',
    isWriting: false,
    run: async (sftp) => withFile(sftp, '/area/a.txt', 'r'),
  },
  {
    name: 'overwrite',
    permission: 'file.update',
    isWriting: true,
    run: async (sftp) => withFile(sftp, '/area/a.txt', 'w'),
  },
  {
    name: 'append',
    permission: 'file.update',
    isWriting: true,
    run: async (sftp) => withFile(sftp, '/area/a.txt', 'a'),
  },
  { name: 'chmod', permission: 'file.update', isWriting: true, run: async (sftp) => sftp.chmod('/area/a.txt', 0o600) },
  {
    name: 'rename',
    permission: 'file.update',
    isWriting: true,
    run: async (sftp) => sftp.rename('/area/a.txt', '/area/b.txt'),
  },
  {
    name: 'move in',
    permission: 'file.update',
    isWriting: true,
    run: async (sftp) => sftp.rename('/outside.txt', '/area/in.txt'),
  },
  {
    name: 'move out',
    permission: 'file.update',
    isWriting: true,
    run: async (sftp) => sftp.replace('/area/a.txt', '/out.txt'),
  },
  {
    name: 'create',
    permission: 'file.create',
    isWriting: true,
    run: async (sftp) => withFile(sftp, '/area/new.txt', 'w'),
  },
  { name: 'mkdir', permission: 'file.create', isWriting: true, run: async (sftp) => sftp.mkdir('/area/made') },
  { name: 'rmdir', permission: 'file.delete', isWriting: true, run: async (sftp) => sftp.rmdir('/area/empty') },
  { name: 'remove', permission: 'file.delete', isWriting: true, run: async (sftp) => sftp.unlink('/area/a.txt') },
];

describe('what SFTP allows by permission and path rule', function () {
  this.timeout(180_000);
  let fixture: SftpFixture;
  before(async () => {
    fixture = await startSftpFixture();
  });
  after(async () => fixture.stop());

  const remote = (...names: string[]) => path.join(fixture.directory, ...names);
  const prepare = async () => {
    await rm(remote('area'), { recursive: true, force: true });
    await rm(remote('out.txt'), { force: true });
    await mkdir(remote('area', 'empty'), { recursive: true });
    await writeFile(remote('area', 'a.txt'), 'a');
    await writeFile(remote('outside.txt'), 'o');
  };

  for (const access of ['allow', 'read_only', 'deny'] as const) {
    it(`opens with each permission alone exactly its operations, where the rule says ${access}`, async () => {
      fixture.authority.more = { pathRules: [[{ path: '/area', access }]] };
      const needed: readonly string[] = operations.map(({ permission }) => permission);
      // only the first rule runs with all permissions: the others are refused under any rule
      const held = access === 'allow' ? serverPermissions : serverPermissions.filter((one) => needed.includes(one));
      for (const permission of held) {
        fixture.authority.permissions = ['file.sftp', permission];
        const client = await fixture.connect();
        const sftp = new Sftp(await openWrapper(client));
        for (const operation of operations) {
          const isAllowed = access === 'allow' || (access === 'read_only' && !operation.isWriting);
          const isOpen = operation.permission === permission && isAllowed;
          await prepare();
          const outcome = await failureOf(operation.run(sftp));
          expect(outcome === 'none', `${operation.name} with ${permission}: ${outcome}`).to.equal(isOpen);
        }
        client.destroy();
      }
    });
  }
});
