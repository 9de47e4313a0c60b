import type { Migration } from '@panel/kit/mongo';

/** Of earlier backups only the nodes that they name have the bytes. */
export const backupDestination: Migration = {
  name: '0003-backup-destination',
  run: async (mongo) => {
    await mongo.collection('backups').updateMany({ destination: { $exists: false } }, { $set: { destination: '' } });
  },
};
