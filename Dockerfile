# One static binary in an otherwise empty image, run by nobody in particular.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -X main.release=${VERSION}" -o /countersign ./cmd/countersign && mkdir -p /data

FROM scratch
ARG VERSION=
LABEL org.opencontainers.image.title="Countersign" \
      org.opencontainers.image.description="Reviews the tool surface of MCP servers before a release" \
      org.opencontainers.image.source="https://github.com/countersign/countersign" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /countersign /countersign
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
ENV COUNTERSIGN_ADDR=0.0.0.0:8080 COUNTERSIGN_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/countersign", "health"]
ENTRYPOINT ["/countersign"]
CMD ["serve"]
