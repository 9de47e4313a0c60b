import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema, type SchemaDefinition } from 'mongoose';
import {
  completeSettings,
  type SettingChanges,
  settingPaths,
  type Settings,
  type SettingValue,
} from '../domain/settings.js';

type Stored = Record<string, Record<string, SettingValue> | undefined>;
type SettingsDocument = Stored & { _id: string; version: number };

/** There is one document: the settings of the installation. */
const documentId = 'settings';

/** Only changed values are stored, so that new initial values reach every installation that never chose. */
const settingsSchema = new Schema<SettingsDocument>(
  { _id: { type: String, required: true }, version: { type: Number, required: true }, ...groupDefinitions() },
  schemaOptions,
);

function groupDefinitions(): SchemaDefinition {
  const groups: Record<string, SchemaDefinition> = {};
  for (const { group, field, setting } of settingPaths()) {
    groups[group] ??= {};
    groups[group][field] = { type: { string: String, number: Number, boolean: Boolean }[kindOf(setting.initial)] };
  }
  return groups;
}

function kindOf(value: SettingValue): 'string' | 'number' | 'boolean' {
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** Settings as they are in the database, secrets sealed, and how often they were changed. */
interface StoredSettings {
  readonly settings: Settings;
  readonly version: number;
}

/** The one settings document. */
export interface SettingsStore {
  read(): Promise<StoredSettings>;
  /**
   * Set single fields, all of them or none; fields that are not named keep what others write at the same time. With
   * `onlyVersion`, only if nothing has changed since: null otherwise.
   */
  change(changes: SettingChanges, onlyVersion?: number): Promise<Settings | null>;
}

/** `panelUrl` is the panel's address until one is set. */
export function createSettingsStore(connection: MongoConnection, panelUrl?: string): SettingsStore {
  const complete = (stored: Stored) =>
    completeSettings(panelUrl === undefined ? stored : { ...stored, general: { url: panelUrl, ...stored['general'] } });
  const model = defineModel(connection, 'Settings', settingsSchema, 'settings');
  return {
    read: async () => {
      const document = await model.findById(documentId).maxTimeMS(maxQueryMs).lean();
      return { settings: complete(valuesOf(document)), version: document?.version ?? 0 };
    },
    change: async (changes, onlyVersion) => {
      await ignoringDuplicate(
        model.updateOne({ _id: documentId }, { $setOnInsert: { version: 0 } }, { upsert: true }).maxTimeMS(maxQueryMs),
      );
      const document = await model
        .findOneAndUpdate(
          { _id: documentId, ...(onlyVersion === undefined ? {} : { version: onlyVersion }) },
          { $set: changes, $inc: { version: 1 } },
          { returnDocument: 'after' },
        )
        .maxTimeMS(maxQueryMs)
        .lean();
      return document && complete(valuesOf(document));
    },
  };
}

function valuesOf(document: SettingsDocument | null): Stored {
  if (!document) return {};
  const { _id, version: _version, ...groups } = document;
  return groups;
}

/** Two first writers at once: the other one has made the document. */
async function ignoringDuplicate(work: PromiseLike<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
  }
}
