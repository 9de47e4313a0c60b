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

/** One document per installation. */
const documentId = 'settings';

/** Stores changed values only: new defaults apply where none was chosen. */
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

/** Sealed secrets, and the number of changes. */
interface StoredSettings {
  readonly settings: Settings;
  readonly version: number;
}

export interface SettingsStore {
  read(): Promise<StoredSettings>;
  /** Atomic; other fields keep concurrent writes. `onlyVersion`: null if changed since. */
  change(changes: SettingChanges, onlyVersion?: number): Promise<Settings | null>;
}

/** `panelUrl`: default of the panel's URL. */
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

/** A concurrent first writer created the document. */
async function ignoringDuplicate(work: PromiseLike<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
  }
}
