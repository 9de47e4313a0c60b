import { AppError, isAppError } from '@panel/kit/errors';
import {
  FileOperation,
  FileOperation_Kind,
  FileOperation_State,
  type GetFileOperationRequest,
} from '@panel/protos/files';
import { ServerOperation, ServerOperation_Kind, ServerOperation_State } from '@panel/protos/servers';
import { expect } from 'chai';
import { anyOperation } from '../../src/routes/servers/operation-resource.js';
import { readOperation } from '../../src/routes/servers/read-operation.js';
import type { Services } from '../../src/services.js';

const [serverId, operationId] = ['2f0d4d0e-4a2b-4d53-8d3c-0d8f0f6b1a01', '2f0d4d0e-4a2b-4d53-8d3c-0d8f0f6b1a02'];
const [startTime, endTime] = [new Date(1_000), new Date(2_000)];
const notFound = () => new AppError('not_found', 'OPERATION_NOT_FOUND', 'no such operation');

interface Found {
  readonly ofServer?: ServerOperation | Error;
  readonly grant?: Error;
  readonly ofFiles?: FileOperation | Error;
}

/** What is not given is unknown. */
async function read({ ofServer = notFound(), grant, ofFiles = notFound() }: Found) {
  const asked: string[] = [];
  const services = {
    servers: {
      getOperation: async () => ({ operation: valueOf(ofServer) }),
      grantFileAccess: async ({ permission }: { readonly permission: string }) => {
        asked.push(permission);
        if (grant) throw grant;
        return { filesAddress: 'node', grant: 'granted', publicUrl: '' };
      },
    },
    files: () => ({
      getFileOperation: async (request: GetFileOperationRequest) => {
        expect(request).to.deep.equal({ grant: 'granted', operationId });
        return { operation: valueOf(ofFiles) };
      },
    }),
  } as unknown as Services;
  const answer = await readOperation(services, { serverId, operationId }, {}).then(
    (found) => anyOperation.parse(found),
    (error: unknown) => (isAppError(error) ? error.reason : error),
  );
  return { answer, asked };
}

function valueOf<T>(found: T | Error): T {
  if (found instanceof Error) throw found;
  return found;
}

const packing = (change: Partial<FileOperation>) =>
  FileOperation.create({
    id: operationId,
    kind: FileOperation_Kind.COMPRESS,
    state: FileOperation_State.RUNNING,
    startTime,
    ...change,
  });

describe('an operation at the one address of all', () => {
  const times = { started_at: startTime.toISOString(), ended_at: null };

  it('answers one of the server without asking for its files', async () => {
    const [kind, state] = [ServerOperation_Kind.INSTALLING, ServerOperation_State.IN_PROGRESS];
    const { answer, asked } = await read({
      ofServer: ServerOperation.create({ id: operationId, kind, state, startTime }),
    });
    const shown = { id: operationId, kind: 'installing', action: null, state: 'in_progress', error: null, ...times };
    expect([answer, asked]).to.deep.equal([shown, []]);
  });

  it('answers an archive or download in the same form, to those who may read files', async () => {
    const shown = { id: operationId, kind: 'compress', action: null, state: 'in_progress', error: null, ...times };
    expect(await read({ ofFiles: packing({}) })).to.deep.equal({ answer: shown, asked: ['file.read'] });
    const failed = packing({
      kind: FileOperation_Kind.PULL,
      state: FileOperation_State.FAILED,
      errorReason: 'DOWNLOAD_FAILED',
      errorMessage: 'the other server failed',
      endTime,
    });
    expect((await read({ ofFiles: failed })).answer).to.deep.equal({
      ...shown,
      kind: 'pull',
      state: 'failed',
      error: 'The other server failed.',
      ended_at: endTime.toISOString(),
    });
    for (const [state, word] of [
      [FileOperation_State.COMPLETED, 'completed'],
      [FileOperation_State.CANCELLED, 'cancelled'],
    ] as const) {
      expect((await read({ ofFiles: packing({ state, endTime }) })).answer).to.include({ state: word });
    }
  });

  it('says the same of an unknown one, and to those who may not read files or while a suspension closes them', async () => {
    expect((await read({})).answer).to.equal('OPERATION_NOT_FOUND');
    for (const grant of [
      new AppError('permission_denied', 'SERVER_FORBIDDEN', 'not granted'),
      new AppError('failed_precondition', 'SERVER_SUSPENDED', 'suspended'),
    ]) {
      expect((await read({ grant, ofFiles: packing({}) })).answer, grant.reason).to.equal('OPERATION_NOT_FOUND');
    }
  });

  it('fails where the server cannot be read, or the files cannot be asked', async () => {
    const ofServer = new AppError('not_found', 'SERVER_NOT_FOUND', 'no such server');
    expect(await read({ ofServer, ofFiles: packing({}) })).to.deep.equal({ answer: 'SERVER_NOT_FOUND', asked: [] });
    const ofFiles = new AppError('unavailable', 'UNAVAILABLE', 'no answer');
    expect((await read({ ofFiles })).answer).to.equal('UNAVAILABLE');
    const grant = new AppError('failed_precondition', 'SERVER_LOCKED', 'in a transfer');
    expect((await read({ grant, ofFiles: packing({}) })).answer).to.equal('SERVER_LOCKED');
  });
});
