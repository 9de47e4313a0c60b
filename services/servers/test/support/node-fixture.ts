import type { Stores } from '../../src/models/stores.js';

/** A node of the process runtime on this machine. Give it a name of its own. */
export const aNode: Parameters<Stores['nodes']['create']>[1] = {
  name: '',
  description: '',
  fqdn: 'localhost',
  tags: [],
  runtime: 'process',
  engine: { url: '', tlsCa: '', tlsCert: '', tlsKey: '' },
  filesAddress: '',
  dataRoot: '',
  dataRootId: '',
  memoryMb: 1024,
  memoryOverallocatePercent: 0,
  diskMb: 1024,
  diskOverallocatePercent: 0,
  cpuPercent: 0,
  maintenanceMode: false,
  publicUrl: '',
  uploadLimitMb: 100,
};
