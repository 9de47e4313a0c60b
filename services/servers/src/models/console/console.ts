import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { count, date, id, listOf, orNull, part, type RecordOf, text } from '@panel/kit/records';

/** From here lines get their original numbers. */
const anchorFields = {
  generation: count,
  /** Null: start of the run. */
  cursor: orNull(text),
  /** Of the last line before the cursor. */
  sequence: count,
  /** Of the same run, oldest first, 64 at most. */
  earlier: listOf(part({ cursor: orNull(text), sequence: count })),
};
export interface ConsoleAnchor extends RecordOf<typeof anchorFields> {
  readonly serverId: string;
}
const anchorSchema = documentSchema({ id, ...anchorFields });

const lineFields = { text, step: text, at: date };
export type InstallLogLine = RecordOf<typeof lineFields>;

const logFields = { operationId: id, lines: listOf(part(lineFields)) };
type InstallLog = RecordOf<typeof logFields>;
const logSchema = documentSchema({ id, ...logFields });

/** Of 8 KiB at most: below the 16 MiB document limit. */
const maxLogLines = 1000;

export interface ConsoleStore {
  anchors(serverIds: readonly string[]): Promise<ConsoleAnchor[]>;
  saveAnchors(anchors: readonly ConsoleAnchor[]): Promise<void>;
  beginLog(serverId: string, operationId: string): Promise<void>;
  /** Keeps 1000 lines. No-op after the start of another installation. */
  appendLog(serverId: string, operationId: string, lines: readonly InstallLogLine[]): Promise<void>;
  log(serverId: string): Promise<InstallLog | null>;
  delete(serverId: string): Promise<void>;
}

export function createConsoleStore(connection: MongoConnection): ConsoleStore {
  const anchors = defineModel(connection, 'ConsoleAnchor', anchorSchema, 'console_anchors');
  const logs = defineModel(connection, 'InstallLog', logSchema, 'install_logs');
  return {
    anchors: async (serverIds) => {
      const found = await anchors.find({ _id: { $in: [...serverIds] } }).lean();
      return found.map(({ _id, ...fields }) => ({ serverId: _id, ...fields }));
    },
    saveAnchors: async (changed) => {
      if (changed.length === 0) return;
      const writes = changed.map(({ serverId, ...fields }) => ({
        updateOne: { filter: { _id: serverId }, update: { $set: fields }, upsert: true },
      }));
      await anchors.bulkWrite(writes, { ordered: false });
    },
    beginLog: async (serverId, operationId) => {
      const started = await logs.updateOne({ _id: serverId, operationId }, { $set: { operationId } });
      if (started.matchedCount === 0)
        await logs.replaceOne({ _id: serverId }, { operationId, lines: [] }, { upsert: true });
    },
    appendLog: async (serverId, operationId, lines) => {
      const push = { lines: { $each: [...lines], $slice: -maxLogLines } };
      await logs.updateOne({ _id: serverId, operationId }, { $push: push });
    },
    log: async (serverId) => {
      const found = await logs.findById(serverId).lean();
      return found && { operationId: found.operationId, lines: found.lines };
    },
    delete: async (serverId) => {
      await Promise.all([anchors.deleteOne({ _id: serverId }), logs.deleteOne({ _id: serverId })]);
    },
  };
}
