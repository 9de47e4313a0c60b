import type { Settings, SettingsServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';

/** Settings older than this are read again. */
const maxAgeMs = 5_000;
const timeoutMs = 2_000;

type SettingsClient = Pick<Client<typeof SettingsServiceService>, 'getSettings'>;

/**
 * The settings of the installation, read at most every five seconds. While admin is unavailable the last ones stay. The
 * image of the brand is read for those who show it only.
 */
export class PanelSettings {
  readonly #plain: CachedSettings;
  readonly #withLogo: CachedSettings;

  constructor(client: SettingsClient) {
    this.#plain = new CachedSettings(client, false);
    this.#withLogo = new CachedSettings(client, true);
  }

  /** Throws SERVICE_UNAVAILABLE when they were never read and cannot be now. */
  async read(): Promise<Settings> {
    return this.#plain.read();
  }

  /** The same with the image. */
  async readWithLogo(): Promise<Settings> {
    return this.#withLogo.read();
  }
}

class CachedSettings {
  #latest: Settings | null = null;
  #readAt = -Infinity;
  #reading: Promise<Settings> | null = null;

  constructor(
    private readonly client: SettingsClient,
    private readonly withLogo: boolean,
  ) {}

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
    const { settings } = await this.client.getSettings({ withLogo: this.withLogo }, { timeoutMs });
    if (!settings) throw new TypeError('the settings are missing in the answer');
    this.#latest = settings;
    this.#readAt = performance.now();
    return settings;
  }
}
