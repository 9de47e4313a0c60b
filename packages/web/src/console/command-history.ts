const retainedCommands = 200;

/** Newest last. Stored in this browser until sign-out. */
export class CommandHistory {
  readonly #key: string;
  #commands: string[];
  #at: number;
  #draft = '';

  constructor(serverId: string) {
    this.#key = `panel-history-${serverId}`;
    this.#commands = read(this.#key);
    this.#at = this.#commands.length;
  }

  add(command: string): void {
    this.#commands = [...this.#commands.filter((known) => known !== command), command].slice(-retainedCommands);
    this.#at = this.#commands.length;
    localStorage.setItem(this.#key, JSON.stringify(this.#commands));
  }

  /** The typed text when there is none. */
  previous(typed: string): string {
    if (this.#at === this.#commands.length) this.#draft = typed;
    for (let index = this.#at - 1; index >= 0; index--) {
      const command = this.#commands[index] ?? '';
      if (!command.includes(this.#draft)) continue;
      this.#at = index;
      return command;
    }
    return typed;
  }

  next(): string {
    for (let index = this.#at + 1; index < this.#commands.length; index++) {
      const command = this.#commands[index] ?? '';
      if (!command.includes(this.#draft)) continue;
      this.#at = index;
      return command;
    }
    this.#at = this.#commands.length;
    return this.#draft;
  }

  reset(): void {
    this.#at = this.#commands.length;
  }
}

function read(key: string): string[] {
  const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
  return Array.isArray(stored) ? stored.filter((item) => typeof item === 'string') : [];
}
