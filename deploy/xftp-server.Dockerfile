# docker build -f deploy/xftp-server.Dockerfile -t xftp-server .
# docker run -v xftp-conf:/etc/opt/simplex-xftp -v xftp-data:/var/opt/simplex-xftp -v xftp-files:/srv/xftp xftp-server \
#   init -p /srv/xftp -q 100gb --ip 0.0.0.0 --fqdn NAME
# docker run -v xftp-conf:/etc/opt/simplex-xftp -v xftp-data:/var/opt/simplex-xftp -v xftp-files:/srv/xftp -p 443:443 \
#   xftp-server
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libssl-dev libsodium-dev libsqlite3-dev \
  libzstd-dev zlib1g-dev pkg-config
WORKDIR /src
COPY . .
RUN swift build -c release --product xftp-server --static-swift-stdlib && cp .build/release/xftp-server /xftp-server

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libssl3 libsodium23 libsqlite3-0 zlib1g \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /xftp-server /usr/local/bin/xftp-server
# New volumes inherit the owner of these folders.
RUN useradd --system --no-create-home xftp \
  && install -d -o xftp -g xftp -m 700 /etc/opt/simplex-xftp /var/opt/simplex-xftp /srv/xftp
USER xftp
VOLUME ["/etc/opt/simplex-xftp", "/var/opt/simplex-xftp", "/srv/xftp"]
EXPOSE 443
STOPSIGNAL SIGTERM
ENTRYPOINT ["xftp-server"]
CMD ["start"]
