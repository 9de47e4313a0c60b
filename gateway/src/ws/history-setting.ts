import type { Client } from '@panel/rpc';
import { isAppError, messageOf } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { SettingsServiceService } from '@panel/protos/admin';

const defaultLines = 150;
const maxLines = 1_000;

/** Last read setting, 150 before the first read. */
export class HistorySetting {
  #lines = defaultLines;

  constructor(
    private readonly settings: Pick<Client<typeof SettingsServiceService>, 'getSettings'>,
    private readonly log: Logger,
  ) {}

  get lines(): number {
    return this.#lines;
  }

  /** Keeps the last value on failure. */
  async refresh(): Promise<void> {
    try {
      const { settings } = await this.settings.getSettings({});
      const lines = settings?.servers?.consoleHistoryLines;
      this.#lines = lines === undefined ? defaultLines : Math.min(Math.max(0, lines), maxLines);
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.log.debug({ err: error }, `the console settings could not be read: ${messageOf(error)}`);
    }
  }
}
