import type { Migration } from '@panel/kit/mongo';
import { viewerNameGramsStage } from '../servers/viewer-name-grams.js';

/** Searches of users read them. */
export const viewerNameGrams: Migration = {
  name: '0003-viewer-name-grams',
  run: async (mongo) => {
    await mongo
      .collection('servers')
      .updateMany({ viewerNameGrams: { $exists: false } }, [{ $set: viewerNameGramsStage }]);
  },
};
