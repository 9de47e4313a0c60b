import type { Settings, SettingsServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';

/** Settings older than this are read again. */
const maxAgeMs = 5_000;
const timeoutMs = 2_000;

/** The settings of the installation, read at most every five seconds. While admin is unavailable the last ones stay. */
export class PanelSettings {
  #latest: Settings | null = null;
  #readAt = -Infinity;
  #reading: Promise<Settings> | null = null;

  constructor(private readonly settings: Pick<Client<typeof SettingsServiceService>, 'getSettings'>) {}

  /** Throws SERVICE_UNAVAILABLE when they were never read and cannot be now. */
  async read(): Promise<Settings> {
    if (this.#latest !== null && performance.now() - this.#readAt < maxAgeMs) return this.#latest;
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    try {
      return await this.#reading;
    } catch (error) {
      if (this.#latest === null) throw error;
      return this.#latest;
    }
  }

  async #readNow(): Promise<Settings> {
    const { settings } = await this.settings.getSettings({}, { timeoutMs });
    if (!settings) throw new TypeError('the settings are missing in the answer');
    this.#latest = settings;
    this.#readAt = performance.now();
    return settings;
  }
}
