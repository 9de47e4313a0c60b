import type { Settings, SettingsServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';

const maxAgeMs = 5_000;
const timeoutMs = 2_000;

type SettingsClient = Pick<Client<typeof SettingsServiceService>, 'getSettings'>;

/** At most 5 s old; the last ones stay while admin is unavailable. */
export class PanelSettings {
  readonly #plain: CachedSettings;
  readonly #withLogo: CachedSettings;

  constructor(client: SettingsClient) {
    this.#plain = new CachedSettings(client, false);
    this.#withLogo = new CachedSettings(client, true);
  }

  /** Throws SERVICE_UNAVAILABLE before the first successful read. */
  async read(): Promise<Settings> {
    return this.#plain.read();
  }

  /** With the logo. */
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
