import type { Migration } from '@panel/kit/mongo';

/** Nodes are bound to the data root that is seen next. */
export const dataRootId: Migration = {
  name: '0002-data-root-id',
  run: async (mongo) => {
    await mongo.collection('nodes').updateMany({ dataRootId: { $exists: false } }, { $set: { dataRootId: '' } });
  },
};
