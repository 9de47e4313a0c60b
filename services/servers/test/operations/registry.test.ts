import { createLogger, createTaskGroup } from '@panel/kit/process';
import { expect } from 'chai';
import { operationKinds } from '../../src/domain/servers/server.js';
import { enterStep, type OperationDeps } from '../../src/operations/operation.js';
import { definitionOf, knownKinds } from '../../src/operations/registry.js';
import { OperationWorker } from '../../src/operations/worker.js';
import { anOperation, aServer } from '../support/server-fixture.js';

const lease = { serverId: 'a', operationId: 'b', fence: 1 };

describe('operation registry', () => {
  it('lists steps of ascending progress below 100 percent for each kind', () => {
    for (const kind of knownKinds) {
      const percents = Object.values(definitionOf(kind).steps);
      expect(percents, kind).to.deep.equal(percents.toSorted((a, b) => a - b));
      expect(Math.max(...percents), kind).to.be.below(100);
    }
  });

  it('throws OPERATION_UNKNOWN for a kind that it does not have', () => {
    const unknown = operationKinds.filter((kind) => !knownKinds.includes(kind));
    for (const kind of unknown)
      expect(() => definitionOf(kind))
        .to.throw()
        .with.property('reason', 'OPERATION_UNKNOWN');
  });

  it('throws for a step that its kind does not name', async () => {
    const servers = { operations: { progress: async () => aServer() } } as never;
    let error: unknown;
    await enterStep({ servers }, definitionOf('deleting'), lease, 'no_such_step').catch((thrown: unknown) => {
      error = thrown;
    });
    expect(error).to.be.instanceOf(TypeError);
  });
});

describe('operation worker', () => {
  it('reports an operation of an unknown kind and leaves it as it is', async () => {
    const claims: string[] = [];
    const errors: object[] = [];
    const log = createLogger({ service: 'test', level: 'silent' });
    log.error = (fields: object) => errors.push(fields);
    const unknown = { ...aServer(), operation: { ...anOperation('deleting'), kind: 'cloning' } };
    const operations = {
      waiting: async (_nodes: readonly string[], kinds: readonly string[]) =>
        kinds.includes(unknown.operation.kind) ? [unknown.id] : [],
      unknown: async () => [{ serverId: unknown.id, kind: unknown.operation.kind }],
      claim: async (id: string) => {
        claims.push(id);
        return null;
      },
    };
    const deps = { servers: { operations }, log, settings: { workTtlMs: 1_000 } } as never as OperationDeps;
    const worker = new OperationWorker(deps, createTaskGroup(log), () => ['node']);
    await worker.tick();
    await worker.reportUnknown();
    expect(claims).to.deep.equal([]);
    expect(errors).to.deep.include({ serverId: unknown.id, kind: 'cloning', reason: 'OPERATION_UNKNOWN' });
  });
});
