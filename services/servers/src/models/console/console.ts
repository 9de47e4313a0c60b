import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { count, required } from '../fields.js';

/** From here lines get their original numbers. */
export interface ConsoleAnchor {
  readonly serverId: string;
  readonly generation: number;
  /** Null: start of the run. */
  readonly cursor: string | null;
  /** Of the last line before the cursor. */
  readonly sequence: number;
  /** Of the same run, oldest first, 64 at most. */
  readonly earlier: readonly { readonly cursor: string | null; readonly sequence: number }[];
}

export interface InstallLogLine {
  readonly text: string;
  readonly step: string;
  readonly at: Date;
}

interface InstallLog {
  readonly operationId: string;
  readonly lines: readonly InstallLogLine[];
}

type AnchorDocument = Omit<ConsoleAnchor, 'serverId'> & { _id: string };
type LogDocument = { _id: string; operationId: string; lines: InstallLogLine[] };

const anchorSchema = new Schema<AnchorDocument>(
  {
    _id: { type: String, ...required },
    generation: count,
    cursor: { type: String, default: null },
    sequence: count,
    earlier: { type: [{ _id: false, cursor: { type: String, default: null }, sequence: count }], default: [] },
  },
  schemaOptions,
);

const lineSchema = new Schema<InstallLogLine>(
  { text: { type: String, default: '' }, step: { type: String, default: '' }, at: { type: Date, ...required } },
  { ...schemaOptions, _id: false },
);

const logSchema = new Schema<LogDocument>(
  { _id: { type: String, ...required }, operationId: { type: String, ...required }, lines: [lineSchema] },
  schemaOptions,
);

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
