/** `serverId` → `server_id`: a field of a message under its name in REST. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
