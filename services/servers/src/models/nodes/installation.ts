import { randomUUID } from 'node:crypto';
import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { id } from '@panel/kit/records';

const installationSchema = documentSchema({ _id: id, installationId: id });

/** Id of the one document. */
const own = 'own';

/** The same for all replicas and releases on this database; a new database gets another one. */
export async function readInstallationId(connection: MongoConnection): Promise<string> {
  const model = defineModel(connection, 'Installation', installationSchema, 'installation');
  const options = { upsert: true, returnDocument: 'after' } as const;
  const change = { $setOnInsert: { installationId: randomUUID() } };
  return (await model.findOneAndUpdate({ _id: own }, change, options).lean()).installationId;
}
