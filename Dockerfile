# One image for every process of the panel; the command chooses which:
#   docker run panel services/identity/dist/main.js
FROM node:24-bookworm-slim AS build
WORKDIR /panel
COPY package.json package-lock.json .npmrc ./
COPY protos/package.json protos/
COPY scripts/package.json scripts/
COPY packages/kit/package.json packages/kit/
COPY packages/rpc/package.json packages/rpc/
COPY packages/runtime/package.json packages/runtime/
COPY packages/outbox/package.json packages/outbox/
COPY packages/activity/package.json packages/activity/
COPY packages/embedded-mongodb/package.json packages/embedded-mongodb/
COPY packages/programs/package.json packages/programs/
COPY packages/testing/package.json packages/testing/
COPY packages/stack/package.json packages/stack/
COPY packages/client/package.json packages/client/
COPY packages/web/package.json packages/web/
COPY services/identity/package.json services/identity/
COPY services/servers/package.json services/servers/
COPY services/files/package.json services/files/
COPY services/billing/package.json services/billing/
COPY services/admin/package.json services/admin/
COPY gateway/package.json gateway/
COPY examples/package.json examples/
COPY bench/package.json bench/
COPY test/e2e/package.json test/e2e/
COPY test/faults/package.json test/faults/
COPY test/repository/package.json test/repository/
RUN npm ci --no-audit --no-fund
COPY . .
# Then only what the processes need. The engine of the embedded database is optional: its licence is not for everybody.
RUN npm run build && find . -name node_modules -prune -exec rm -rf {} + \
  && npm ci --omit=dev --omit=optional --workspace=gateway --workspace=services/identity --workspace=services/servers \
  --workspace=services/files --workspace=services/billing --workspace=services/admin \
  && rm -rf test bench examples packages/programs packages/testing packages/stack packages/client packages/embedded-mongodb packages/web/src services/*/dist/test gateway/dist/test

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# what files reads and writes archives with, and servers dumps of databases
RUN apt-get update && apt-get install -y --no-install-recommends libarchive-tools bzip2 xz-utils zstd \
  mariadb-client postgresql-client \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /panel
COPY --from=build /panel /panel
USER node
ENTRYPOINT ["node"]
CMD ["gateway/dist/main.js"]
