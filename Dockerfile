# Build in one stage, run in another: an unprivileged user, nothing but the two programs and the libraries they need.
FROM debian:12-slim AS build
COPY . /src
WORKDIR /src
RUN deploy/packages.sh viewer \
 && tests/npm.sh ../server/web \
 && cmake --preset release -DBUILD_TESTING=OFF \
 && cmake --build --preset release \
 && DESTDIR=/out cmake --install build/release --prefix /usr

FROM debian:12-slim
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends ca-certificates libmicrohttpd12 libuv1 libcjson1 libsqlite3-0 zlib1g \
      libzstd1 libxxhash0 libdeflate0 libwebp7 libturbojpeg0 libmeshoptimizer2d libssl3 libcurl4 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --home-dir /var/lib/riftbake --create-home riftbake
COPY --from=build /out/usr /usr
USER riftbake
# The game folder is mounted read-only, the data folder is a volume. Without tokens (--tokens-file) other addresses than
# loopback need --insecure-open: put a proxy in front. deploy/compose.yaml has tokens and a proxy.
VOLUME ["/game", "/var/lib/riftbake"]
ENV RIFT_GAME=/game RIFT_DATA=/var/lib/riftbake RIFT_LISTEN=0.0.0.0:8780
EXPOSE 8780
HEALTHCHECK --interval=30s --timeout=6s CMD ["riftbake", "health", "--quiet", "--server", "http://127.0.0.1:8780"]
ENTRYPOINT ["riftbaked"]
CMD ["--insecure-open"]
