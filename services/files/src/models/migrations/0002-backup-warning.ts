import type { Migration } from '@panel/kit/mongo';

export const backupWarning: Migration = {
  name: '0002-backup-warning',
  run: async (mongo) => {
    await mongo.collection('backups').updateMany({ warning: { $exists: false } }, { $set: { warning: '' } });
  },
};
