/** Internal to the driver, which declares its public parts only. */
declare module 'mongodb/lib/cmap/connection.js' {
  export const Connection: unknown;
}
