# One static binary in an otherwise empty image, run by nobody in particular.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /countersign ./cmd/countersign && mkdir -p /data

FROM scratch
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
