import type { NodeReport } from '@panel/client';
import { expect } from 'chai';
import {
  decisions,
  type Difference,
  differencesOf,
  isCutOff,
  kinds,
  undecidedOf,
} from '../../src/staff/node-report/differences.js';

const report = (changes: Partial<NodeReport> = {}): NodeReport => ({
  orphan_volumes: [],
  missing_volumes: [],
  orphan_instances: [],
  database_is_older: false,
  ...changes,
});
const server = (id: string) => ({ id, name: `server ${id}`, node_id: 'other' });
const idsOf = (differences: readonly Difference[]) => differences.map(({ serverId }) => serverId);

describe('the report of a node as shown', () => {
  it('lists nothing when files, instances and servers agree', () => {
    const differences = differencesOf(report({ database_is_older: true }));
    expect(kinds.flatMap((kind) => differences[kind])).to.deep.equal([]);
    expect(undecidedOf(differences)).to.deep.equal([]);
  });

  it('tells files of no server from those of a server on another node', () => {
    const found = differencesOf(
      report({
        orphan_volumes: [
          { server_id: 'unknown', server: null, size_bytes: 4096 },
          { server_id: 'moved', server: server('moved'), size_bytes: null },
        ],
      }),
    );
    expect(found.unknown).to.deep.equal([{ serverId: 'unknown', server: null, hasInstance: false, sizeBytes: 4096 }]);
    expect(found.elsewhere).to.deep.equal([
      { serverId: 'moved', server: server('moved'), hasInstance: false, sizeBytes: null },
    ]);
    expect(found.missing).to.deep.equal([]);
  });

  it('names servers without files by their record', () => {
    const { missing } = differencesOf(report({ missing_volumes: [server('lost')] }));
    expect(missing).to.deep.equal([{ serverId: 'lost', server: server('lost'), hasInstance: false, sizeBytes: null }]);
  });

  it('shows an instance beside its files, and alone without them', () => {
    const found = differencesOf(
      report({
        orphan_volumes: [{ server_id: 'runs', server: null, size_bytes: null }],
        orphan_instances: ['alone', 'runs'],
      }),
    );
    expect(found.unknown).to.deep.equal([{ serverId: 'runs', server: null, hasInstance: true, sizeBytes: null }]);
    expect(idsOf(found.instance)).to.deep.equal(['alone']);
  });

  it('offers to adopt, move and forget first, and nothing for an instance', () => {
    expect(kinds.map((kind) => decisions[kind][0])).to.deep.equal(['adopt', 'move', 'forget', undefined]);
    const withFiles = kinds.filter((kind) => decisions[kind].includes('remove'));
    expect(withFiles).to.deep.equal(['unknown', 'elsewhere']);
  });

  it('counts what is undecided without instances', () => {
    const differences = differencesOf(
      report({
        orphan_volumes: [
          { server_id: 'a', server: null, size_bytes: null },
          { server_id: 'b', server: null, size_bytes: null },
        ],
        missing_volumes: [server('lost')],
        orphan_instances: ['alone'],
      }),
    );
    expect(undecidedOf(differences)).to.deep.equal([
      { kind: 'unknown', count: 2 },
      { kind: 'missing', count: 1 },
    ]);
  });

  it('says that there may be more from a thousand of a kind on', () => {
    const instances = (count: number) =>
      report({ orphan_instances: Array.from({ length: count }, (_, at) => `${at}`) });
    expect(isCutOff(instances(999))).to.equal(false);
    expect(isCutOff(instances(1_000))).to.equal(true);
  });
});
