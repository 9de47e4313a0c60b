import type { Client } from '@panel/rpc';
import { isAppError, type Logger, messageOf } from '@panel/kit';
import type { SettingsServiceService } from '@panel/protos/admin';

const defaultLines = 150;
const maxLines = 1_000;

/** How many console lines a socket gets on connect: the setting as it was read last, 150 until it could be. */
export class HistorySetting {
  #lines = defaultLines;

  constructor(
    private readonly settings: Pick<Client<typeof SettingsServiceService>, 'getSettings'>,
    private readonly log: Logger,
  ) {}

  now(): number {
    return this.#lines;
  }

  /** Read the setting again. Where it cannot be read, the last known stays. */
  async refresh(): Promise<void> {
    try {
      const { settings } = await this.settings.getSettings({});
      const lines = settings?.servers?.consoleHistoryLines;
      this.#lines = lines === undefined ? defaultLines : Math.min(Math.max(0, lines), maxLines);
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.log.debug({ err: error }, `the console settings were not read: ${messageOf(error)}`);
    }
  }
}
