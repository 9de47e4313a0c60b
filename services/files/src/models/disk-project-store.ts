import {
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  maxQueryMs,
  type MongoConnection,
} from '@panel/kit/mongo';
import { id, number } from '@panel/kit/records';
import { type DiskProject, diskProjectFields } from '../domain/disk-project.js';

const { id: projectId, ...projectFields } = diskProjectFields;
const projectSchema = documentSchema({ ...projectFields, _id: projectId, nodeId: id });
type ProjectDocument = DocumentOf<typeof projectSchema>;
projectSchema.index({ nodeId: 1, serverId: 1 }, { name: 'disk_project_volume', unique: true });

const counterSchema = documentSchema({ id, lastId: number });

/** Lower ids are for the operator's projects. */
const firstId = 1_048_577;

/** Unique across nodes, which may share a disk. Each method changes one document. */
export interface DiskProjectStore {
  /** Existing or new. */
  assign(nodeId: string, serverId: string): Promise<DiskProject>;
  find(nodeId: string, serverId: string): Promise<DiskProject | null>;
  list(nodeId: string): Promise<DiskProject[]>;
  setLimit(nodeId: string, serverId: string, limitBytes: number): Promise<void>;
  setComplete(id: number, isComplete: boolean): Promise<void>;
  delete(id: number): Promise<void>;
}

export function createDiskProjectStore(connection: MongoConnection): DiskProjectStore {
  const model = defineModel(connection, 'DiskProject', projectSchema, 'disk_projects');
  const counters = defineModel(connection, 'DiskProjectCounter', counterSchema, 'disk_project_counters');
  const find = async (nodeId: string, serverId: string) => {
    const found = await model.findOne({ nodeId, serverId }).maxTimeMS(maxQueryMs).lean();
    return found && toProject(found);
  };
  const nextId = async () => {
    const taken = await counters
      .findOneAndUpdate({ _id: 'projects' }, { $inc: { lastId: 1 } }, { upsert: true, returnDocument: 'after' })
      .lean();
    if (!taken) throw new TypeError('an upsert has returned no document');
    return firstId - 1 + taken.lastId;
  };
  return {
    assign: async (nodeId, serverId) => {
      const known = await find(nodeId, serverId);
      if (known) return known;
      const made = { _id: await nextId(), limitBytes: null, isComplete: false };
      const upsert = () =>
        model
          .findOneAndUpdate({ nodeId, serverId }, { $setOnInsert: made }, { upsert: true, returnDocument: 'after' })
          .lean();
      // on a race the slower one hits the index and finds the project on retry; its id stays unused
      const project = await upsert().catch(async (error: unknown) => {
        if (duplicateIndex(error) === null) throw error;
        return upsert();
      });
      if (!project) throw new TypeError('an upsert has returned no document');
      return toProject(project);
    },
    find,
    list: async (nodeId) => (await model.find({ nodeId }).maxTimeMS(maxQueryMs).lean()).map(toProject),
    setLimit: async (nodeId, serverId, limitBytes) => {
      await model.updateOne({ nodeId, serverId }, { $set: { limitBytes } });
    },
    setComplete: async (id, isComplete) => {
      await model.updateOne({ _id: id }, { $set: { isComplete } });
    },
    delete: async (id) => {
      await model.deleteOne({ _id: id });
    },
  };
}

function toProject({ _id, serverId, limitBytes, isComplete }: ProjectDocument): DiskProject {
  return { id: _id, serverId, limitBytes, isComplete };
}
