import { createAddressGuard } from '@panel/kit/net';
import { expect } from 'chai';
import { checkNode, type NodePolicy } from '../../../src/domain/nodes/check-node.js';
import type { NodeFields } from '../../../src/domain/nodes/node.js';

const strict: NodePolicy = { allowsProcessNodes: false, isAllowedAddress: createAddressGuard('deny').isAllowed };
const open: NodePolicy = { allowsProcessNodes: true, isAllowedAddress: createAddressGuard('allow').isAllowed };

const node: NodeFields = {
  name: 'node',
  description: '',
  fqdn: 'node.example.com',
  tags: [],
  runtime: 'docker',
  engine: { url: 'tcp://node.example.com:2376', tlsCa: '', tlsCert: '', tlsKey: '' },
  filesAddress: 'node.example.com:50051',
  dataRoot: '',
  dataRootId: '',
  memoryMb: 1024,
  memoryOverallocatePercent: 0,
  diskMb: 1024,
  diskOverallocatePercent: 0,
  cpuPercent: 0,
  maintenanceMode: false,
  uploadLimitMb: 1,
  publicUrl: '',
};

function refused(changes: Partial<NodeFields>, policy = strict): string[] {
  try {
    checkNode({ ...node, ...changes }, policy);
  } catch (error) {
    return Object.keys((error as { metadata: { fields: object } }).metadata.fields);
  }
  return [];
}

const engine = (url: string) => ({ engine: { ...node.engine, url } });

describe('validation of nodes', () => {
  it('accepts names and private addresses', () => {
    expect(refused({})).to.deep.equal([]);
    expect(
      refused({ fqdn: '10.0.0.4', filesAddress: '10.0.0.4:50051', ...engine('tcp://10.0.0.4:2376') }),
    ).to.deep.equal([]);
    expect(refused(engine('unix:///var/run/docker.sock'))).to.deep.equal([]);
  });

  it('refuses a process node unless the configuration allows them', () => {
    expect(refused({ runtime: 'process' })).to.deep.equal(['runtime']);
    expect(refused({ runtime: 'process' }, open)).to.deep.equal([]);
  });

  for (const ip of ['127.0.0.1', '169.254.169.254', '0.0.0.0', '100.100.100.200']) {
    it(`refuses ${ip} for engine, files service and node unless the configuration allows it`, () => {
      expect(refused(engine(`tcp://${ip}:2376`))).to.deep.equal(['engine.url']);
      expect(refused({ filesAddress: `${ip}:50051` })).to.deep.equal(['files_address']);
      expect(refused({ filesAddress: `dns:///${ip}:50051` })).to.deep.equal(['files_address']);
      expect(refused({ fqdn: ip })).to.deep.equal(['fqdn']);
      expect(refused({ fqdn: ip, filesAddress: `${ip}:1`, ...engine(`tcp://${ip}:1`) }, open)).to.deep.equal([]);
    });
  }

  it('refuses the same addresses in IPv6', () => {
    for (const ip of ['::1', '::', 'fe80::1', '::ffff:127.0.0.1', 'fd00:ec2::254']) {
      expect(refused(engine(`tcp://[${ip}]:2376`)), ip).to.deep.equal(['engine.url']);
      expect(refused({ filesAddress: `[${ip}]:50051` }), ip).to.deep.equal(['files_address']);
    }
  });

  it('refuses addresses of the files service with a scheme of its own, and accepts names', () => {
    for (const filesAddress of [
      'ipv4:169.254.169.254:80',
      'dns:169.254.169.254:80',
      'unix:engine.sock:80',
      'ipv4:10.0.0.4:80,169.254.169.254:80',
      'dns://8.8.8.8/node:80',
      'node%2eexample:80',
    ])
      expect(refused({ filesAddress }), filesAddress).to.deep.equal(['files_address']);
    for (const filesAddress of ['files_1:50051', 'dns:///files:50051', '[fd12::1]:50051', 'localhost:50051'])
      expect(refused({ filesAddress }), filesAddress).to.deep.equal([]);
  });

  for (const port of [0, 65_536, 99_999]) {
    it(`refuses port ${port}`, () => {
      expect(refused(engine(`tcp://10.0.0.4:${port}`))).to.deep.equal(['engine.url']);
      expect(refused({ filesAddress: `10.0.0.4:${port}` })).to.deep.equal(['files_address']);
    });
  }
});
