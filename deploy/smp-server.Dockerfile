# docker build -f deploy/smp-server.Dockerfile -t smp-server .
# docker run -v smp-conf:/etc/opt/simplex -v smp-data:/var/opt/simplex -p 5223:5223 smp-server init -y --ip 0.0.0.0 --fqdn NAME
# docker run -v smp-conf:/etc/opt/simplex -v smp-data:/var/opt/simplex -p 5223:5223 smp-server
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libssl-dev libsodium-dev libsqlite3-dev \
  libzstd-dev pkg-config
WORKDIR /src
COPY . .
RUN swift build -c release --product smp-server --static-swift-stdlib && cp .build/release/smp-server /smp-server

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libssl3 libsodium23 libsqlite3-0 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /smp-server /usr/local/bin/smp-server
# New volumes inherit the owner of these folders.
RUN useradd --system --no-create-home smp \
  && install -d -o smp -g smp -m 700 /etc/opt/simplex /var/opt/simplex
USER smp
VOLUME ["/etc/opt/simplex", "/var/opt/simplex"]
EXPOSE 5223
STOPSIGNAL SIGTERM
ENTRYPOINT ["smp-server"]
CMD ["start"]
