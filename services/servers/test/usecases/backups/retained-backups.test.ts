import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { listRetainedBackups } from '../../../src/usecases/backups/retained-backups.js';

type Deps = Parameters<typeof listRetainedBackups>[0];

describe('kept backups of deleted servers', () => {
  const usual = 'usual:1';
  const other = 'other:1';

  /** Each fake answers its address or an error. */
  function depsOf(answers: Readonly<Record<string, AppError | null>>): Deps {
    const addressOf = ({ filesAddress }: { filesAddress: string }) => (filesAddress === '' ? usual : filesAddress);
    return {
      files: {
        addressOf,
        isAllowed: async () => true,
        retainedBackups: async (node: { filesAddress: string }) => {
          const error = answers[addressOf(node)];
          if (error) throw error;
          return [{ nodeId: addressOf(node) }];
        },
      },
      stores: { nodes: { all: async () => [{ filesAddress: other, health: { isReachable: true } }] } },
    } as unknown as Deps;
  }
  const unavailable = new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'no connection');

  it('lists kept backups by another files service when the usual one does not answer', async () => {
    expect(await listRetainedBackups(depsOf({ [usual]: null }))).to.deep.equal([{ nodeId: usual }]);
    expect(await listRetainedBackups(depsOf({ [usual]: unavailable }))).to.deep.equal([{ nodeId: other }]);
  });

  it('asks no other files service after another error', async () => {
    const denied = new AppError('permission_denied', 'DENIED', 'no');
    const caught = await listRetainedBackups(depsOf({ [usual]: denied })).catch((error: unknown) => error);
    expect(caught).to.equal(denied);
  });
});
